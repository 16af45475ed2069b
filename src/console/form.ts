import { ApiError } from './api.ts'
import type { PlacedProblem } from './placed-problem.ts'

/** The refusals of a field, by its path in the body that was sent, and of everything below it. */
export const problemsIn = (error: unknown, field: readonly string[]): PlacedProblem[] =>
  error instanceof ApiError
    ? error.details.flatMap(({ path, message }) =>
        field.every((part, index) => path[index] === part)
          ? [{ path: path.slice(field.length).join('.'), message }]
          : [],
      )
    : []

/** The refusals as one sentence to stand beside the field; undefined where there are none. */
export const toSentence = (problems: readonly PlacedProblem[]): string | undefined =>
  problems.length === 0
    ? undefined
    : problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
