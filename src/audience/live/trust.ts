import type { Queryable } from '../../database/database.js'
import type { SourceTrust } from '../../interface/generated/types.js'
import type { ExternalId, Fact, FoundFact } from '../facts.js'
import { keyOf } from './ids.store.js'
import { listKnowledge } from './trust.store.js'

/**
 * How a fact of a source without full trust is treated, whose write key may be in a page, where anyone can read it.
 * `of_known_ids`: applied if the id is known. `of_new_people`: applied if only such sources know the id.
 */
type Rule = 'applied' | 'of_known_ids' | 'of_new_people' | 'left_out'

const NEVER = { new_people: 'left_out', times_only: 'left_out' } as const
const RULES: Readonly<Record<Fact['type'], Record<Exclude<SourceTrust, 'full'>, Rule>>> = {
  appOpen: { new_people: 'applied', times_only: 'of_known_ids' },
  profile: { new_people: 'of_new_people', times_only: 'left_out' },
  // A link gives all purchases of an id to a person.
  link: NEVER,
  linkConversation: NEVER,
  purchase: NEVER,
  refund: NEVER,
  orderRemoved: NEVER,
  orderRestored: NEVER,
  message: NEVER,
  comment: NEVER,
  forget: NEVER,
  forgetSource: NEVER,
  dataRequest: NEVER,
}

interface Trusting {
  organizationId: string
  now: Date
  trust?: SourceTrust
  /** Called for each fact that is left out. */
  onUntrusted?: () => void
}

/** Leaves out the facts that the source is not trusted with. */
export async function leaveOutUntrusted(
  tx: Queryable,
  { organizationId, now, trust = 'full', onUntrusted }: Trusting,
  found: readonly FoundFact[],
): Promise<readonly FoundFact[]> {
  if (trust === 'full') return found
  const ids = found.flatMap(({ fact }) => ('who' in fact && fact.who !== undefined ? [fact.who] : []))
  const known = new Map((await listKnowledge(tx, organizationId, ids)).map((row) => [keyOf(row), row]))
  const isApplied = (fact: Fact): boolean => {
    const rule = RULES[fact.type][trust]
    if (rule === 'applied' || rule === 'left_out') return rule === 'applied'
    const { is_known = false, is_trusted = false } = known.get(keyOf((fact as { who: ExternalId }).who)) ?? {}
    return rule === 'of_known_ids' ? is_known : !is_trusted
  }
  return found.flatMap((each) => {
    if (isApplied(each.fact)) return [{ ...each, fact: toUntrusted(each.fact, now.getTime()) }]
    onUntrusted?.()
    return []
  })
}

/**
 * Gives a profile a time before any that another source may send (isPlausibleInstant), so that whatever a trusted source
 * says is newer. A page's clock moves no time ahead of ours.
 */
function toUntrusted(fact: Fact, now: number): Fact {
  if (fact.type === 'profile') return { ...fact, at: Math.round(Math.min(fact.at, now) / 1_000) }
  return 'at' in fact ? { ...fact, at: Math.min(fact.at, now) } : fact
}
