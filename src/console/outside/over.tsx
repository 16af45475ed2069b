import { ApiError } from '../api.ts'
import { outside as words } from '../words.ts'

/** Others may change the post while it is being read. */
export const REVIEW_MS = 5_000

/** Returns true if the answer says that the link no longer works. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** The page of a link that does not work. */
export const Over = () => (
  <section class="card outside-head">
    <h1>{words.overTitle}</h1>
    <p class="quiet">{words.over}</p>
  </section>
)
