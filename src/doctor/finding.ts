import type { Config } from '../config/index.js'
import type { Database } from '../database/database.js'
import type { HealthState } from '../interface/generated/types.js'
import type { Clock } from '../lib/clock.js'
import type { Statfs } from '../observability/disks.js'

/** The outcome of one check. None of its texts contains a secret. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'problem'
  finding: string
  /** The remedy, in sentences; empty if nothing needs to be done. */
  remedy: string
}

/** The findings of a check, in the order in which people read them. */
export type Findings = AsyncGenerator<Finding, void>

/** The things that a check may look at. */
export interface Examined {
  config: Readonly<Config>
  clock: Clock
  /** Tests replace it. */
  statfs?: Statfs | undefined
}

/** The same with the open database. */
export interface ExaminedDatabase extends Examined {
  database: Database
}

export async function gather(findings: Findings): Promise<Finding[]> {
  const gathered: Finding[] = []
  for await (const finding of findings) gathered.push(finding)
  return gathered
}

/** Yields `fine` if a check finds nothing else. */
export async function* orFine(findings: Findings, fine: Finding): Findings {
  const gathered = await gather(findings)
  yield* gathered.length > 0 ? gathered : [fine]
}

type MakeFinding = (finding: string, remedy: string) => Finding

/** Makes the findings of one check. */
export function findingsOf(check: string) {
  const make =
    (state: Finding['state']): MakeFinding =>
    (finding, remedy) => ({ check, state, finding, remedy })
  const ok = (finding: string): Finding => make('ok')(finding, '')
  const [warning, problem] = [make('warning'), make('problem')]
  return {
    ...{ ok, warning, problem },
    /** Turns the health of a part of the server into a finding. */
    judged: (state: HealthState, { finding, remedy }: { finding: string; remedy: string }): Finding =>
      state === 'good' ? ok(finding) : state === 'bad' ? problem(finding, remedy) : warning(finding, remedy),
  }
}
