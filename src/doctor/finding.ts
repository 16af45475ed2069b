/** The outcome of one check. No text of it holds a secret. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'problem'
  finding: string
  /** It says what to do; empty where nothing is to be done. */
  remedy: string
}

export const ok = (check: string, finding: string): Finding => ({ check, state: 'ok', finding, remedy: '' })
export const warning = (check: string, finding: string, remedy: string): Finding => ({
  check,
  state: 'warning',
  finding,
  remedy,
})
export const problem = (check: string, finding: string, remedy: string): Finding => ({
  check,
  state: 'problem',
  finding,
  remedy,
})
