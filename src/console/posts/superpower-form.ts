import type { ConditionGroup, Reply, Superpower } from '../../interface/superpowers.ts'
import type { PlacedProblem } from '../placed-problem.ts'
import { superpowerWords as words } from './words.ts'

// The common form of a superpower: one thing that people do, and what follows. What it has besides is kept as it is.

export const ACTIONS = ['COMMENTED', 'LIKED', 'SHARED', 'MESSAGED'] as const

export interface CommonForm {
  name: string
  hashtag: string
  active: boolean
  /** Starts it; always where it is empty. */
  action: string
  /** Words, one a line, of which one is enough. */
  values: string
  publicReply: string
  privateReply: string
  autoLike: boolean
  takesPart: boolean
  winners: string
  raffleEnd: string
}

export interface FormField {
  name: keyof CommonForm
  kind: 'line' | 'text' | 'lines' | 'flag' | 'choice' | 'number' | 'day'
  /** Its place in a superpower, as the service's refusals name it. */
  path: string
  hint?: string
}

/** The fields of the form, in their order. */
export const FIELDS: readonly FormField[] = [
  { name: 'name', kind: 'line', path: 'name', hint: words.nameHint },
  { name: 'hashtag', kind: 'line', path: 'hashtag', hint: words.hashtagHint },
  { name: 'active', kind: 'flag', path: 'active' },
  { name: 'action', kind: 'choice', path: 'conditionGroups.0.conditions.0.userActionType' },
  { name: 'values', kind: 'lines', path: 'conditionGroups.0.conditions.0.values', hint: words.valuesHint },
  { name: 'publicReply', kind: 'text', path: 'conditionGroups.0.publicReplies.0.text' },
  { name: 'privateReply', kind: 'text', path: 'conditionGroups.0.privateReplies.0.text' },
  { name: 'autoLike', kind: 'flag', path: 'conditionGroups.0.autoLike' },
  { name: 'takesPart', kind: 'flag', path: 'conditionGroups.0.takesPartInRaffle' },
  { name: 'winners', kind: 'number', path: 'raffle.winnersLimit' },
  { name: 'raffleEnd', kind: 'day', path: 'raffle.endDate' },
]

export function toForm({ name = '', hashtag = '', active = true, conditionGroups, raffle }: Superpower): CommonForm {
  const group = conditionGroups?.[0]
  const condition = group?.conditions?.[0]
  return {
    name,
    hashtag,
    active,
    action: condition?.userActionType ?? '',
    values: (condition?.values ?? []).filter(isText).join('\n'),
    publicReply: group?.publicReplies?.[0]?.text ?? '',
    privateReply: group?.privateReplies?.[0]?.text ?? '',
    autoLike: group?.autoLike ?? false,
    takesPart: group?.takesPartInRaffle ?? false,
    winners: raffle?.winnersLimit === undefined ? '' : String(raffle.winnersLimit),
    raffleEnd: raffle?.endDate ?? '',
  }
}

/** Puts one field of the form into the superpower; everything else of it stays. */
export function withField<Name extends keyof CommonForm>(
  superpower: Superpower,
  name: Name,
  value: CommonForm[Name],
): Superpower {
  if (toForm(superpower)[name] === value) return superpower
  const text = String(value)
  switch (name) {
    case 'name':
    case 'hashtag':
      return without({ ...superpower, [name]: text }, text === '' ? [name] : [])
    case 'active':
      return { ...superpower, active: value as boolean }
    case 'winners':
    case 'raffleEnd': {
      const field = name === 'winners' ? 'winnersLimit' : 'endDate'
      const given = name === 'winners' ? Number(text) : text
      const raffle = without({ ...superpower.raffle, [field]: given }, text === '' ? [field] : [])
      return without({ ...superpower, raffle }, Object.keys(raffle).length === 0 ? ['raffle'] : [])
    }
    default:
      return withGroup(superpower, (group) => changeGroup(group, name, value))
  }
}

function changeGroup(group: ConditionGroup, name: keyof CommonForm, value: string | boolean): ConditionGroup {
  const text = String(value)
  switch (name) {
    case 'action':
    case 'values': {
      const [first = {}, ...further] = group.conditions ?? []
      const isNone = name === 'action' && text === ''
      const changed =
        name === 'action'
          ? { conditionType: 'USER_ACTION', ...first, userActionType: text }
          : {
              ...first,
              values: [...toLines(text), ...others(first.values)],
              logicalCondition: first.logicalCondition ?? 'ANY_VALUE',
            }
      return { ...group, conditions: isNone ? further : [changed, ...further] }
    }
    case 'publicReply':
    case 'privateReply': {
      const list = name === 'publicReply' ? 'publicReplies' : 'privateReplies'
      const [first = { scope: name === 'publicReply' ? 'PUBLIC' : 'PRIVATE' }, ...further] = group[list] ?? []
      const { text: _, scope: __, id: ___, ...rest } = first as Reply
      const isNone = text === '' && Object.keys(rest).length === 0
      return { ...group, [list]: isNone ? further : [{ ...first, text }, ...further] }
    }
    case 'autoLike':
      return { ...group, autoLike: value as boolean }
    default:
      return { ...group, takesPartInRaffle: value as boolean }
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Values that the form cannot show. */
const others = (values: readonly unknown[] = []): unknown[] => values.filter((value) => !isText(value))

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

function withGroup(superpower: Superpower, change: (group: ConditionGroup) => ConditionGroup): Superpower {
  const [first = {}, ...others] = superpower.conditionGroups ?? []
  return { ...superpower, conditionGroups: [change(first), ...others] }
}

function without<Value extends object>(value: Value, names: readonly string[]): Value {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as Value
}

/** The problems of each field of the form, and those of everything else. */
export function placeProblems(problems: readonly PlacedProblem[]): {
  fields: Partial<Record<keyof CommonForm, string>>
  rest: PlacedProblem[]
} {
  const fields: Partial<Record<keyof CommonForm, string>> = {}
  const rest: PlacedProblem[] = []
  for (const problem of problems) {
    const field = FIELDS.find(({ path }) => `${problem.path}.`.startsWith(`${path}.`))
    if (field === undefined || fields[field.name] !== undefined) rest.push(problem)
    else fields[field.name] = problem.message
  }
  return { fields, rest }
}

/** Reads the JSON of a superpower; the message of what is wrong with it, where it is none. */
export function readJson(text: string): { superpower: Superpower } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { superpower: value as Superpower }
      : { problem: '' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : '' }
  }
}
