/** A pattern that is not linear, or that is made at run time, and what keeps its work small. */
export interface Bounded {
  path: string
  /** Its source; of one that is made at run time, the expression that makes it. */
  pattern: string
  /** How long its text can be, or why its shape is known. */
  bound: string
  /** The file that enforces the bound, and a text in it. */
  enforced: [path: string, text: string]
}

export const BOUNDED: Bounded[] = []
