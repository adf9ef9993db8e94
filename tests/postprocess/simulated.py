"""Ratings of simulated honest annotators."""

import numpy as np
import pandas as pd


def simulate_honest(rng, n_annotators, n_texts, n_groups, n_points, *, kind="normal"):
    """Return ratings of texts by annotators named group-number, each with a bias and a slope."""
    shape = (n_annotators, n_texts, n_groups)
    size, own = (1, n_texts, n_groups), (n_annotators, 1, n_groups)
    mean = rng.exponential(0.13, size) if kind == "skewed" else rng.uniform(0, 1, size)
    drawn = mean + rng.normal(0, 0.08 if kind == "sharp" else 0.25, shape)
    drawn = (drawn + rng.normal(0, 0.1, own) - 0.5) * np.exp(rng.normal(0, 0.3, own)) + 0.5
    points = np.clip(np.rint(drawn * (n_points - 1)), 0, n_points - 1).astype(int)
    return tabulate_points(points)


def tabulate_points(points):
    """Return ratings as a table, given by annotator of a group, text and group."""
    annotator, text, group = np.indices(points.shape).reshape(3, -1)
    number = group * points.shape[1] + text
    return pd.DataFrame(
        {
            "pair": number // 2 + 1,
            "context": number % 2 + 1,
            "annotator": [f"{g}-{a}" for g, a in zip(group, annotator, strict=True)],
            "rating": points.ravel(),
            "group": group.astype(str),
        }
    )
