"""Chains made better by small changes: a step less, another step, a step elsewhere, a step more."""

from __future__ import annotations

from random import Random

from acompass.suggest.search.chains import Chain, Chains, Trail
from acompass.suggest.search.menu import Menu


def shortened(chains: Chains, chain: Chain, most: int) -> Chain:
    """The chain without the steps that are missed least, until it has at most `most`: one by one at last."""
    while (over := len(chain) - most) > 0:
        if chains.effort.cut_short():
            return chain[:most]
        losses = [chains.loss(shorter) for shorter in _fewer(chain)]
        missed = sorted(range(len(chain)), key=losses.__getitem__)[: -(-over // 4)]
        chain = tuple(step for place, step in enumerate(chain) if place not in missed)
    return chain


def improved(chains: Chains, menu: Menu, trail: Trail, most: int, random: Random) -> Trail:
    """The end of a walk that takes each change that loses less, until none does or effort is over."""
    tried = {trail.chain}
    while True:
        for chain in _changes(menu, trail.chain, most, random):
            if chains.effort.over():
                return trail
            if chain in tried:
                continue
            tried.add(chain)
            if chains.beats(chain, trail):
                trail = Trail(chains, chain)
                break
        else:
            return trail


def kicked(menu: Menu, chain: Chain, most: int, random: Random) -> Chain:
    """Some changes at once, of any worth, to walk on from elsewhere."""
    for _ in range(random.randint(2, 4)):
        chain = random.choice(_changes(menu, chain, most, random) or [chain])
    return chain


def _changes(menu: Menu, chain: Chain, most: int, random: Random) -> list[Chain]:
    """In random order, but a step more comes last: there are many, and few of them help."""
    changes = [*_fewer(chain), *_other(menu, chain), *_elsewhere(chain)]
    longer = _more(menu, chain) if len(chain) < most else []
    random.shuffle(changes)
    random.shuffle(longer)
    return changes + longer


def _fewer(chain: Chain) -> list[Chain]:
    return [chain[:place] + chain[place + 1 :] for place in range(len(chain))]


def _other(menu: Menu, chain: Chain) -> list[Chain]:
    return [
        (*chain[:place], variant, *chain[place + 1 :])
        for place, step in enumerate(chain)
        for variant in menu.variants(step)
    ]


def _elsewhere(chain: Chain) -> list[Chain]:
    return [
        (*rest[:to], step, *rest[to:])
        for place, step in enumerate(chain)
        for rest in [chain[:place] + chain[place + 1 :]]
        for to in range(len(chain))
        if to != place
    ]


def _more(menu: Menu, chain: Chain) -> list[Chain]:
    return [
        (*chain[:place], step, *chain[place:])
        for step in menu.steps
        for place in range(len(chain) + 1)
        if step not in chain[max(0, place - 1) : place + 1]
    ]
