/** A validation problem inside a field, such as `raffle.winnersLimit`; the empty path is the field itself. */
export interface PlacedProblem {
  path: string
  message: string
}
