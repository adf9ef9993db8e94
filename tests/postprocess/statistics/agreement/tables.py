"""Agreement within one group, given as a table of items by annotators."""

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.alpha import krippendorff_alpha
from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.agreement.intraclass import intraclass_correlation
from postprocess.statistics.agreement.measures import leave_one_out_agreement, pairwise_agreement


def items_table(ratings):
    """Return ratings as items (pair, context) by annotators, NaN if one did not rate."""
    return ratings.pivot(index=["pair", "context"], columns="annotator", values="rating").astype(
        float
    )


def stack_of(table):
    n_items, n_annotators = table.shape
    return Stack(
        tables=np.ascontiguousarray(table.to_numpy(dtype=float).T)[None],
        slices=np.zeros(1, dtype=np.int64),
        annotators=np.arange(n_annotators)[None],
        items=2 * np.arange(n_items)[None],
    )


def take_items(stack, drawn):
    """Return the items of a stack of one slice at places of `draw_items`, a slice per resample."""
    n_resamples, n_tables, _ = drawn.shape
    tables = [np.take_along_axis(stack.tables, places[:, None, :], axis=2) for places in drawn]
    return Stack(
        tables=np.concatenate(tables),
        slices=np.repeat(np.arange(n_resamples), n_tables),
        annotators=np.tile(stack.annotators, (n_resamples, 1)),
        items=np.concatenate([np.take_along_axis(stack.items, one, axis=1) for one in drawn]),
    )


def alpha_of(table, *, level="interval"):
    return krippendorff_alpha([stack_of(table)], 1, level=level).item()


def icc_of(table):
    """Return ICC(2,1) and ICC(2,k)."""
    return tuple(intraclass_correlation([stack_of(table)], 1)[0].tolist())


def leave_one_out_of(table):
    return pd.Series(leave_one_out_agreement(stack_of(table).tables)[0], index=table.columns)


def pairwise_of(table, *, method="spearman"):
    rho = pairwise_agreement(stack_of(table).tables, method=method)[0]
    return pd.DataFrame(rho, index=table.columns, columns=table.columns)


def many_questionnaires(rng, crowd, n_items, n_groups=14):
    """Return ratings of many questionnaires; `crowd` has the bias of each annotator of each."""
    n_annotators = crowd.shape[1]
    truth = rng.uniform(0, 6, (n_groups, 1, n_items))
    noise = rng.normal(0, 1.2, (n_groups, n_annotators, n_items))
    ratings = np.clip(np.rint(truth + crowd[:, :, None] + noise), 0, 6)
    group, annotator, item = np.indices(ratings.shape)
    return pd.DataFrame(
        {
            "pair": (group * n_items + item + 1).ravel(),
            "context": 1,
            "annotator": (group * n_annotators + annotator).ravel(),
            "rating": ratings.ravel(),
            "group": group.ravel(),
        }
    )


def drop_lowest(ratings):
    """Leave out the annotator of each group with the lowest mean, and move the others up by 1."""
    means = ratings.groupby(["group", "annotator"])["rating"].mean().reset_index()
    lowest = means.loc[means.groupby("group")["rating"].idxmin(), ["group", "annotator"]]
    left_out = pd.MultiIndex.from_frame(lowest)
    kept = ratings[~pd.MultiIndex.from_frame(ratings[["group", "annotator"]]).isin(left_out)]
    return kept.assign(rating=kept["rating"] + 1)
