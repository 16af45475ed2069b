/** The outcome of one check. No text of it holds a secret. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'problem'
  finding: string
  /** It says what to do; empty where nothing is to be done. */
  remedy: string
}

type Tell = (finding: string, remedy: string) => Finding

/** Makes the findings of one check. */
export function findingsOf(check: string): { ok(finding: string): Finding; warning: Tell; problem: Tell } {
  const tell =
    (state: Finding['state']): Tell =>
    (finding, remedy) => ({ check, state, finding, remedy })
  return { ok: (finding) => tell('ok')(finding, ''), warning: tell('warning'), problem: tell('problem') }
}
