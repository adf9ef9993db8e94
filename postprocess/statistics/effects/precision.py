"""The prior precision of the effects, and the factors of their posterior precision."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.sparse import csr_array

from postprocess.statistics.effects.design import Design, Part, collect
from postprocess.statistics.effects.parameters import Parameters
from postprocess.types import Floats


class PriorPrecision(NamedTuple):
    """The prior precision Q: a pair's block, shape (1, 3), and each crossed effect's precision."""

    block: Floats
    crossed: Floats


def prior_precision(design: Design, parameters: Parameters) -> PriorPrecision:
    """Return the prior precision Q of the effects."""
    level, change = 1 / parameters.of_level, 1 / parameters.of_change
    variances = parameters.variances
    block = np.array([[level + change, level + change, level - change]]) / 2
    crossed = np.where(
        design.is_annotator, 1 / variances["annotator"], 1 / variances["questionnaire"]
    )
    return PriorPrecision(block, crossed)


def apply_prior(design: Design, prior: PriorPrecision, effects: Floats) -> Floats:
    """Return Q times the effects."""
    n = design.n_contexts
    return np.concatenate([apply_blocks(prior.block, effects[:n]), prior.crossed * effects[n:]])


def log_determinant_of_prior(design: Design, parameters: Parameters) -> float:
    """Return log|Q|."""
    crossed = np.log(prior_precision(design, parameters).crossed).sum()
    pairs = len(design.pairs) * np.log(parameters.of_level * parameters.of_change)
    return float(crossed - pairs)


class Covariance(NamedTuple):
    """Entries of H⁻¹, the posterior covariance of the effects.

    `contexts`, shape (n_pairs, 2): the variances of both contexts; `both`, shape (n_pairs,): their
    covariance; `crossed`: variances; `predictor`, shape (n_ratings,): the variance of each η.
    """

    contexts: Floats
    both: Floats
    crossed: Floats
    predictor: Floats

    @property
    def change(self) -> Floats:
        """The variance of the change of each pair, x₂ − x₁."""
        return np.asarray(self.contexts.sum(axis=1) - 2 * self.both)


@dataclass(frozen=True)
class Precision:
    """The factors of the posterior precision H.

    `inverse`, shape (n_pairs, 3): the inverse of each pair's block, as its entries (1,1), (2,2) and
    (1,2); `carry`: that inverse times the entries of H between contexts and crossed effects;
    `factors`: the lower Cholesky factor of S, for each part.
    """

    design: Design
    inverse: Floats
    carry: csr_array
    factors: tuple[Floats, ...]
    log_determinant: float

    def solve(self, right: Floats) -> Floats:
        """Return H⁻¹ times a vector or the columns of a matrix, shape (n_effects, …)."""
        n = self.design.n_contexts
        contexts, crossed = right[:n], right[n:] - self.carry.T @ right[:n]
        crossed = np.concatenate(
            [
                cho_solve((factor, True), crossed[part.crossed])
                for part, factor in zip(self.design.parts, self.factors, strict=True)
            ]
        )
        eliminated = apply_blocks(self.inverse, contexts) - self.carry @ crossed
        return np.concatenate([eliminated, crossed])

    @cached_property
    def covariance(self) -> Covariance:
        """The entries of H⁻¹ that are needed."""
        design = self.design
        contexts, both = self.inverse[:, :2].flatten(), self.inverse[:, 2].copy()
        crossed, predictor = np.empty(design.n_crossed), np.empty(len(design.point))
        for part, factor in zip(design.parts, self.factors, strict=True):
            inverse = cho_solve((factor, True), np.eye(len(factor)))
            carry = self.carry[part.contexts, part.crossed]
            carried = carry @ inverse
            contexts[part.contexts] += carry.multiply(carried).sum(axis=1)
            both[part.pairs] += carry[::2].multiply(carried[1::2]).sum(axis=1)
            crossed[part.crossed] = inverse.diagonal()
            a, q = (
                number[part.ratings] - part.crossed.start
                for number in (design.annotator, design.questionnaire)
            )
            i = design.context[part.ratings] - part.contexts.start
            predictor[part.ratings] = (
                inverse[a, a] + inverse[q, q] + 2 * inverse[a, q]
                - 2 * (carried[i, a] + carried[i, q])
            )  # fmt: skip
        predictor += contexts[design.context]
        return Covariance(contexts.reshape(-1, 2), both, crossed, predictor)

    def draw(self, n_draws: int, rng: np.random.Generator) -> Iterator[tuple[Part, Floats]]:
        """Yield draws of the deviations of context effects from the mode, for each part.

        Their shape is (n_contexts of the part, n_draws). The second half are the first half with
        the opposite sign, so that their mean is 0.
        """
        a, b, c = self.inverse.T
        corner = c / np.sqrt(a)
        rest = np.sqrt(b - corner**2)
        for part, factor in zip(self.design.parts, self.factors, strict=True):
            normal = rng.standard_normal((len(factor), n_draws // 2))
            crossed = solve_triangular(factor, normal, lower=True, trans=1)
            first, second = rng.standard_normal((2, len(a[part.pairs]), n_draws // 2))
            drawn = np.empty((2 * len(first), n_draws // 2))
            drawn[::2] = np.sqrt(a[part.pairs])[:, None] * first
            drawn[1::2] = corner[part.pairs, None] * first + rest[part.pairs, None] * second
            drawn -= self.carry[part.contexts, part.crossed] @ crossed
            yield part, np.concatenate([drawn, -drawn], axis=1)


def factorise(design: Design, prior: PriorPrecision, weight: Floats) -> Precision | None:
    """Factorise the posterior precision H; return None if it is not positive definite."""
    n_contexts, n_crossed = design.n_contexts, design.n_crossed
    diagonal = collect(design, weight)
    of_each = diagonal[:n_contexts].reshape(-1, 2) + prior.block[0, 0]
    of_both = prior.block[0, 2]
    determinant = of_each.prod(axis=1) - of_both**2
    columns = [of_each[:, ::-1], np.full(len(of_each), -of_both)]
    inverse = np.column_stack(columns) / determinant[:, None]
    between = csr_array(
        (
            np.tile(weight, 2),
            (np.tile(design.context, 2), np.concatenate([design.annotator, design.questionnaire])),
        ),
        shape=(n_contexts, n_crossed),
    )
    carry = blocks_as_matrix(inverse) @ between
    together = csr_array(
        (weight, (design.annotator, design.questionnaire)), shape=(n_crossed, n_crossed)
    )
    rest = together + together.T - between.T @ carry
    own_crossed = diagonal[n_contexts:] + prior.crossed
    factors, log_determinant = [], float(np.log(determinant).sum())
    for part in design.parts:
        square = rest[part.crossed, part.crossed].toarray()
        square[np.diag_indices_from(square)] += own_crossed[part.crossed]
        try:
            factor = cholesky(square, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        factors.append(np.asarray(factor))
        log_determinant += 2 * float(np.log(factor.diagonal()).sum())
    return Precision(design, inverse, carry, tuple(factors), log_determinant)


def apply_blocks(blocks: Floats, contexts: Floats) -> Floats:
    """Multiply the effects of contexts by a symmetric matrix of two rows for each pair.

    `blocks`, shape (n_pairs, 3), are its entries (1,1), (2,2) and (1,2).

    >>> apply_blocks(np.array([[2.0, 3.0, 1.0]]), np.array([1.0, 10.0])).tolist()
    [12.0, 31.0]
    """
    a, b, c = (blocks[:, n].reshape(-1, *[1] * (contexts.ndim - 1)) for n in range(3))
    result = np.empty_like(contexts)
    result[::2] = a * contexts[::2] + c * contexts[1::2]
    result[1::2] = c * contexts[::2] + b * contexts[1::2]
    return result


def blocks_as_matrix(blocks: Floats) -> csr_array:
    """Return a symmetric matrix of two rows for each pair from the entries of its blocks."""
    n = 2 * len(blocks)
    columns = np.repeat(np.arange(n).reshape(-1, 2), 2, axis=0)
    entries = blocks[:, [0, 2, 2, 1]]
    return csr_array((entries.ravel(), columns.ravel(), np.arange(0, 2 * n + 1, 2)), shape=(n, n))
