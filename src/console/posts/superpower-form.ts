import type { ConditionGroup, Raffle, Reply, Superpower } from '../../interface/generated/types.ts'
import type { PlacedProblem } from '../placed-problem.ts'
import { superpowers as words } from '../words.ts'

// The form of a superpower and of one of its groups: what people do, and what follows. Everything else is preserved.

export const ACTIONS = ['COMMENTED', 'LIKED', 'SHARED', 'MESSAGED'] as const

export interface CommonForm {
  name: string
  hashtag: string
  active: boolean
  /** The trigger; empty means always. */
  action: string
  /** Words, one per line; any of them matches. */
  values: string
  /** One of several is chosen by the comment. */
  publicReplies: readonly Reply[]
  privateReplies: readonly Reply[]
  autoLike: boolean
  takesPart: boolean
  groupName: string
  /** Numbers as typed; empty if not set. */
  probability: string
  usersLimit: string
  timeLimit: string
  privateDelay: string
  publicDelay: string
  winners: string
  /** ISO 8601. */
  raffleEnd: string
  winnersReply: string
  losersReply: string
}

export interface FormField {
  name: keyof CommonForm
  kind: 'line' | 'text' | 'replies' | 'lines' | 'flag' | 'choice' | 'number' | 'share' | 'hours' | 'instant'
  /** The path within a superpower that the service's problems use; # is the group's index, * any index. */
  path: string
  /** Shown on demand. */
  isFolded?: boolean
  hint?: string
}

/** The form's fields, in order. */
const FIELDS: readonly FormField[] = [
  { name: 'name', kind: 'line', path: 'name', hint: words.nameHint },
  { name: 'hashtag', kind: 'line', path: 'hashtag', hint: words.hashtagHint },
  { name: 'active', kind: 'flag', path: 'active' },
  { name: 'action', kind: 'choice', path: 'conditionGroups.#.conditions.0.userActionType' },
  { name: 'values', kind: 'lines', path: 'conditionGroups.#.conditions.0.values', hint: words.valuesHint },
  { name: 'publicReplies', kind: 'replies', path: 'conditionGroups.#.publicReplies.*.text', hint: words.repliesHint },
  { name: 'privateReplies', kind: 'replies', path: 'conditionGroups.#.privateReplies.*.text', hint: words.repliesHint },
  { name: 'autoLike', kind: 'flag', path: 'conditionGroups.#.autoLike' },
  { name: 'takesPart', kind: 'flag', path: 'conditionGroups.#.takesPartInRaffle' },
  { name: 'groupName', kind: 'line', path: 'conditionGroups.#.name', isFolded: true },
  { name: 'probability', kind: 'share', path: 'conditionGroups.#.probability', isFolded: true, hint: words.shareHint },
  { name: 'usersLimit', kind: 'number', path: 'conditionGroups.#.usersLimit', isFolded: true },
  { name: 'timeLimit', kind: 'hours', path: 'conditionGroups.#.timeLimit', isFolded: true },
  { name: 'privateDelay', kind: 'hours', path: 'conditionGroups.#.delayDMReplyInHours', isFolded: true },
  { name: 'publicDelay', kind: 'hours', path: 'conditionGroups.#.delayPublicReplyInHours', isFolded: true },
  { name: 'winners', kind: 'number', path: 'raffle.winnersLimit' },
  { name: 'raffleEnd', kind: 'instant', path: 'raffle.endDate' },
  { name: 'winnersReply', kind: 'text', path: 'raffle.winnersPrivateReply.text' },
  { name: 'losersReply', kind: 'text', path: 'raffle.looseresPrivateReply.text' },
]

/** A group's numeric fields, by form field. */
const NUMBERS = {
  probability: 'probability',
  usersLimit: 'usersLimit',
  timeLimit: 'timeLimit',
  privateDelay: 'delayDMReplyInHours',
  publicDelay: 'delayPublicReplyInHours',
} as const

const isOfGroup = ({ path }: FormField): boolean => path.startsWith('conditionGroups.')
/** The fields before, within and after the group. */
export const PARTS = {
  before: FIELDS.slice(0, FIELDS.findIndex(isOfGroup)),
  group: FIELDS.filter(isOfGroup),
  behind: FIELDS.slice(FIELDS.findLastIndex(isOfGroup) + 1),
}

const NONE: readonly Reply[] = []

/** `place` is the index of the selected group. */
export function toForm(
  { name = '', hashtag = '', active = true, conditionGroups, raffle }: Superpower,
  place = 0,
): CommonForm {
  const group = conditionGroups?.[place]
  const condition = group?.conditions?.[0]
  return {
    name,
    hashtag,
    active,
    action: condition?.userActionType ?? '',
    values: (condition?.values ?? []).filter(isText).join('\n'),
    publicReplies: group?.publicReplies ?? NONE,
    privateReplies: group?.privateReplies ?? NONE,
    autoLike: group?.autoLike ?? false,
    takesPart: group?.takesPartInRaffle ?? false,
    groupName: group?.name ?? '',
    probability: toText(group?.probability),
    usersLimit: toText(group?.usersLimit),
    timeLimit: toText(group?.timeLimit),
    privateDelay: toText(group?.delayDMReplyInHours),
    publicDelay: toText(group?.delayPublicReplyInHours),
    winners: toText(raffle?.winnersLimit),
    raffleEnd: raffle?.endDate ?? '',
    winnersReply: raffle?.winnersPrivateReply?.text ?? '',
    losersReply: raffle?.looseresPrivateReply?.text ?? '',
  }
}

const toText = (value: number | undefined): string => (value === undefined ? '' : String(value))

/** Applies one form field to the superpower and preserves the rest. */
export function withField<Name extends keyof CommonForm>(
  superpower: Superpower,
  name: Name,
  value: CommonForm[Name],
  place = 0,
): Superpower {
  if (toForm(superpower, place)[name] === value) return superpower
  const text = String(value)
  switch (name) {
    case 'name':
    case 'hashtag':
      return without({ ...superpower, [name]: text }, text === '' ? [name] : [])
    case 'active':
      return { ...superpower, active: value as boolean }
    case 'winners':
    case 'raffleEnd':
    case 'winnersReply':
    case 'losersReply': {
      const raffle = changeRaffle(superpower.raffle, name, text)
      return without({ ...superpower, raffle }, Object.keys(raffle).length === 0 ? ['raffle'] : [])
    }
    default:
      return withGroup(superpower, place, (group) => changeGroup(group, name, value))
  }
}

/** A raffle's fields, by form field. */
const OF_RAFFLE = {
  winners: 'winnersLimit',
  raffleEnd: 'endDate',
  winnersReply: 'winnersPrivateReply',
  losersReply: 'looseresPrivateReply',
} as const

function changeRaffle(raffle: Raffle = {}, name: keyof typeof OF_RAFFLE, text: string): Raffle {
  const field = OF_RAFFLE[name]
  if (field === 'winnersLimit' || field === 'endDate') {
    const given = field === 'winnersLimit' ? Number(text) : text
    return without({ ...raffle, [field]: given }, text === '' ? [field] : [])
  }
  const reply = { ...(raffle[field] ?? emptyReply('privateReplies')), text }
  return without({ ...raffle, [field]: reply }, isEmpty(reply) ? [field] : [])
}

function changeGroup(
  group: ConditionGroup,
  name: keyof CommonForm,
  value: CommonForm[keyof CommonForm],
): ConditionGroup {
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
    case 'publicReplies':
    case 'privateReplies': {
      const replies = value as readonly Reply[]
      // A single empty reply counts as none.
      return { ...group, [name]: replies.length === 1 && isEmpty(replies[0]!) ? [] : [...replies] }
    }
    case 'autoLike':
      return { ...group, autoLike: value as boolean }
    case 'groupName':
      return without({ ...group, name: text }, text === '' ? ['name'] : [])
    case 'probability':
    case 'usersLimit':
    case 'timeLimit':
    case 'privateDelay':
    case 'publicDelay': {
      const field = NUMBERS[name]
      const unit = name === 'timeLimit' && text !== '' ? { timeLimitUnit: 'HOUR' } : {}
      return without({ ...group, [field]: Number(text), ...unit }, text === '' ? [field] : [])
    }
    default:
      return { ...group, takesPartInRaffle: value as boolean }
  }
}

/** True for a reply that has nothing to send. */
const isEmpty = ({ id: _, scope: __, text = '', ...rest }: Reply): boolean =>
  text === '' && Object.keys(rest).length === 0

/** Returns an empty reply for a form field. */
export const emptyReply = (name: keyof CommonForm): Reply => ({
  scope: name === 'publicReplies' ? 'PUBLIC' : 'PRIVATE',
  text: '',
})

const isText = (value: unknown): value is string => typeof value === 'string'

/** Returns values that the form cannot show. */
const others = (values: readonly unknown[] = []): unknown[] => values.filter((value) => !isText(value))

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

function withGroup(
  superpower: Superpower,
  place: number,
  change: (group: ConditionGroup) => ConditionGroup,
): Superpower {
  const conditionGroups = [...(superpower.conditionGroups ?? [])]
  conditionGroups[place] = change(conditionGroups[place] ?? {})
  return { ...superpower, conditionGroups }
}

/** Appends an empty group. If there is none, the form already shows an empty one, so this makes two. */
export const addGroup = (superpower: Superpower): Superpower => ({
  ...superpower,
  conditionGroups: [...(superpower.conditionGroups ?? [{}]), {}],
})

export const removeGroup = (superpower: Superpower, place: number): Superpower => ({
  ...superpower,
  conditionGroups: (superpower.conditionGroups ?? []).filter((_, index) => index !== place),
})

/** Moves a group to its neighbour's position. Order matters: the first matching group acts. */
export function moveGroup(superpower: Superpower, place: number, to: number): Superpower {
  const conditionGroups = [...(superpower.conditionGroups ?? [])]
  const [moved] = conditionGroups.splice(place, 1)
  if (moved !== undefined) conditionGroups.splice(to, 0, moved)
  return { ...superpower, conditionGroups }
}

function without<Value extends object>(value: Value, names: readonly string[]): Value {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as Value
}

/** Returns the problems of each form field, with the group at `place`, and all others. */
export function placeProblems(
  problems: readonly PlacedProblem[],
  place = 0,
): {
  fields: Partial<Record<keyof CommonForm, string>>
  rest: PlacedProblem[]
} {
  const fields: Partial<Record<keyof CommonForm, string>> = {}
  const rest: PlacedProblem[] = []
  for (const problem of problems) {
    const field = FIELDS.find(({ path }) => isAt(problem.path.split('.'), path.split('.'), place))
    if (field === undefined || fields[field.name] !== undefined) rest.push(problem)
    else fields[field.name] = problem.message
  }
  return { fields, rest }
}

/** Returns true for a problem at a field's path or below it. */
const isAt = (problem: readonly string[], field: readonly string[], place: number): boolean =>
  field.every((part, index) => part === '*' || problem[index] === (part === '#' ? String(place) : part))

/** Parses a superpower's JSON; returns the error message if it is invalid. */
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
