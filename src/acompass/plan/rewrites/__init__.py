"""The rewrites, in the order they run. No rewrite changes a verdict, a count, a trace position or a bag."""

from acompass.plan.rewrites.count_combinations import count_combinations
from acompass.plan.rewrites.count_in_two_levels import count_in_two_levels
from acompass.plan.rewrites.inline_ranges import inline_ranges
from acompass.plan.rewrites.look_up_values import look_up_values
from acompass.plan.rewrites.merge_chains import merge_chains
from acompass.plan.rewrites.share_aggregations import share_aggregations
from acompass.plan.rewrites.share_scans import share_scans
from acompass.plan.rewrites.store_tangles import store_tangles

REWRITES = (
    merge_chains,
    look_up_values,
    inline_ranges,
    store_tangles,
    share_scans,
    share_aggregations,
    count_in_two_levels,
    count_combinations,
)
