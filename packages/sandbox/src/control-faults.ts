import { ruleOf } from './break-something.js'
import type { Controlled } from './controlled.js'
import { KNOWN_FAULTS, type KnownFault } from './known-faults.js'
import { ControlError, type Fields, readFields, typeText } from './read-fields.js'
import { isPathLike } from './requests.js'
import type { RecordedRequest } from './route.js'

const COUNT_MAX = 1_000_000

/** Every fault takes these fields in addition to its own. */
const RULE: Fields = {
  name: { type: 'text' },
  method: { type: 'text', values: ['GET', 'POST', 'DELETE'], isOptional: true },
  path: { type: 'text', isOptional: true },
  times: { type: 'integer', min: 1, max: COUNT_MAX, isOptional: true },
  seconds: { type: 'integer', min: 1, max: COUNT_MAX, isOptional: true },
}

/** A fault by name; other fields depend on the fault. */
export interface NamedFault {
  name: string
  method?: 'GET' | 'POST' | 'DELETE'
  /** The path without the version; each `*` matches any text. */
  path?: string
  times?: number
  seconds?: number
  [field: string]: unknown
}

interface SetFault {
  id: string
  name: string
  /** Null for any number. */
  timesLeft: number | null
  /** Null if it has no time limit. */
  secondsLeft: number | null
}

type Needs = Pick<Controlled, 'faults' | 'model' | 'actions' | 'clock' | 'wait'>

/** Lists the active faults, oldest first, and the faults that can be set. */
export function listFaults({ faults, actions, clock }: Needs): Record<string, unknown> {
  return {
    active: faults.list().map((fault) => ({
      id: fault.id,
      name: fault.name ?? null,
      timesLeft: finite(fault.timesLeft),
      secondsLeft: finite(Math.ceil((fault.endsAt - clock.now()) / 1000)),
    })),
    known: Object.entries(available(actions)).map(([name, { about, on, fields }]) => ({
      ...{ name, about, on: on ?? 'people who comment' },
      fields: Object.fromEntries(
        Object.entries(fields).map(([field, type]) => [
          field,
          `${typeText(type)}${type.default === undefined ? '' : `; default ${JSON.stringify(type.default)}`}${type.isOptional ? '; optional' : ''}`,
        ]),
      ),
    })),
  }
}

/** Sets a fault, for one request unless the body says otherwise. */
export function setFault(needs: Needs, body: unknown): SetFault {
  const { faults, actions, model, wait } = needs
  const given = (body as { name?: unknown } | null)?.name
  const known = available(actions)
  const fault = typeof given === 'string' && Object.hasOwn(known, given) ? known[given] : undefined
  if (typeof given === 'string' && fault === undefined) {
    throw new ControlError(400, `There is no fault "${given}".`, { known: Object.keys(known) })
  }
  const { name, method, path, times, seconds, ...values } = readFields(body, { ...RULE, ...fault?.fields })
  const isHabit = fault!.habit !== undefined
  if (isHabit && (method ?? path ?? times) !== undefined) {
    throw new ControlError(400, `${name} is about people who comment: it takes "seconds", but no method, path or times`)
  }
  if (path !== undefined && !isPath(path)) {
    throw new ControlError(400, 'A "path" begins with / or * and has no version, for example "/*/feed".')
  }
  const rule = ruleOf(name, { ...fault!, fault: fault!.make(values, wait) }, { model, actions })
  const isAsked = (request: RecordedRequest): boolean =>
    (method === undefined || method === request.method) && (path === undefined || isPathLike(path, request.path))
  const id = faults.add({
    ...rule,
    ...{ seconds, times: times ?? (seconds === undefined && !isHabit ? 1 : rule.times) },
    match: (request) => isAsked(request) && rule.match(request),
  })
  return {
    id,
    name,
    timesLeft: finite(faults.list().find((each) => each.id === id)!.timesLeft),
    secondsLeft: seconds ?? null,
  }
}

const isPath = (path: string): boolean => /^[/*]/.test(path) && !/^\/v\d{1,3}\.\d{1,3}(?:\/|$)/.test(path)

/** The faults whose action exists. */
const available = (actions: Needs['actions']): Record<string, KnownFault> =>
  Object.fromEntries(
    Object.entries(KNOWN_FAULTS).filter(([, { once }]) => once === undefined || actions[once] !== undefined),
  )

const finite = (number: number): number | null => (Number.isFinite(number) ? number : null)
