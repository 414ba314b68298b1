"""Why a record is what it is after a run, requirement by requirement; and a policy in other words."""
