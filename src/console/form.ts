import { ApiError } from './api.ts'
import type { PlacedProblem } from './placed-problem.ts'

/** Returns the problems of a field and of everything inside it, by its path in the body. */
export const problemsIn = (error: unknown, field: readonly string[]): PlacedProblem[] =>
  error instanceof ApiError
    ? error.details.flatMap(({ path, message }) =>
        field.every((part, index) => path[index] === part)
          ? [{ path: path.slice(field.length).join('.'), message }]
          : [],
      )
    : []

/** Joins the problems into a sentence to show beside the field; undefined if there are none. */
export const toSentence = (problems: readonly PlacedProblem[]): string | undefined =>
  problems.length === 0
    ? undefined
    : problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
