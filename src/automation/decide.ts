import {
  type CommentedObject,
  deleteIncomingComments,
  type IncomingComment,
  listWaitingComments,
  listWaitingObjects,
  setCommentsAside,
} from '../audience/incoming-comments.store.js'
import { isOptOut } from '../audience/opt-out.js'
import { insertOptOuts } from '../audience/opt-outs.store.js'
import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import type { CommentReason } from '../interface/automation.js'
import type { BeaconChain } from '../lib/beacon.js'
import { type Answered, createChance, type Decision, decide, findGroup, WINDOW_MS } from '../superpowers/decision.js'
import { parseRule, type Rule } from '../superpowers/rule.js'
import {
  type AnsweredPerson,
  countAnswered,
  EVERYONE,
  insertComments,
  insertEffects,
  type LedgerComment,
  type LedgerEffect,
  listAnswered,
  listAnsweredByPeople,
  listAnsweredThreads,
  listOptedOut,
  listOwnComments,
  listPrivatelyAnswered,
  skipAnsweredByPeople,
  takeTurns,
  upsertAnswered,
} from './ledger.store.js'
import { type ActingPost, listDecided, lockPostOfObject, noteNewestComment } from './posts.store.js'
import { chainOf } from './raffles/beacon.js'
import { enterRaffle } from './raffles/enter.js'

export type DecideContext = Pick<Context, 'database' | 'clock' | 'chanceKey' | 'metrics' | 'config'>

const OBJECTS_AT_ONCE = 100
/** The embedded engine runs on the thread that answers requests. */
const BATCH = { postgres: 500, pglite: 100 } as const

/** Decides the waiting comments, and returns their number. Any number of processes may do so at the same time. */
export async function decideWaiting(context: DecideContext): Promise<number> {
  let decided = 0
  let objects: CommentedObject[] = []
  // Each object gets a batch in every round, so that objects with many comments do not hold up the others.
  do {
    objects = await listWaitingObjects(context.database, OBJECTS_AT_ONCE, objects.at(-1))
    for (const object of objects) decided += await decideObject(context, object)
  } while (objects.length === OBJECTS_AT_ONCE)
  return decided
}

async function decideObject({ database, clock, chanceKey, metrics, config }: DecideContext, object: CommentedObject) {
  const limit = BATCH[database.engine]
  const reasons = await database.transaction(async (tx) => {
    const post = await lockPostOfObject(tx, object)
    if (post === undefined) {
      await setCommentsAside(tx, object)
      return []
    }
    const comments = await listWaitingComments(tx, object, limit)
    return await decideComments(tx, post, comments, { chanceKey, chain: chainOf(config), now: new Date(clock.now()) })
  })
  for (const reason of reasons) metrics.countComment(reason)
  return reasons.length
}

interface Turn {
  chanceKey: Buffer
  chain: BeaconChain
  now: Date
}

/** Decides comments of one post, oldest first, and returns the reasons of the new ones. The post is locked. */
async function decideComments(
  tx: Queryable,
  post: ActingPost,
  given: readonly IncomingComment[],
  turn: Turn,
): Promise<CommentReason[]> {
  const { organization_id: organizationId, channel_id: channelId } = post
  const ids = given.map(({ commentId }) => commentId)
  const before = await listDecided(tx, organizationId, channelId, ids)
  const comments = given.filter(({ commentId }) => !before.has(commentId))
  const rule = parseRule(post.superpower ?? {})
  const decided = comments.length === 0 ? [] : await decideNew(tx, { post, rule, turn }, comments)
  await storeDecided(tx, post, decided, turn.now)
  const entering = decided.flatMap(({ comment, entersRaffle }) => (entersRaffle ? [comment] : []))
  if (rule.raffle !== null) {
    const { chanceKey, chain } = turn
    await enterRaffle(tx, post, { raffle: rule.raffle, comments: entering, chanceKey, chain })
  }
  await deleteIncomingComments(tx, organizationId, channelId, ids)
  return decided.map(({ comment }) => comment.reason)
}

interface Decided {
  comment: LedgerComment
  effects: LedgerEffect[]
  entersRaffle: boolean
  /** True if the person has opted out of automated messages. */
  isOptOut: boolean
}

async function decideNew(
  tx: Queryable,
  { post, rule, turn }: Omit<Deciding, 'world'>,
  comments: readonly IncomingComment[],
): Promise<Decided[]> {
  const world = await readWorld(tx, post, rule, comments)
  return comments.map((comment) => {
    const { reason, group, effects, entersRaffle } = decideOne({ post, rule, world, turn }, comment)
    return {
      comment: toLedgerComment(comment, group, reason),
      effects: effects.map((effect) => ({
        ...{ ...effect, commentId: comment.commentId, groupPlace: group!, personId: comment.personId ?? '' },
      })),
      entersRaffle,
      isOptOut: reason !== 'own_comment' && isOptOut(comment.text ?? ''),
    }
  })
}

/** Everything besides the rule that the decisions of a batch depend on. Decisions made along the way are added. */
interface World {
  ownIds: Set<string>
  answeredThreads: ReadonlySet<string>
  answeredByPeople: ReadonlySet<string>
  optedOut: Set<string>
  /** The counts by place; absent if no limit counts people there. */
  people: Map<number, number>
  /** When people were last answered, by place and person. */
  lastAtMs: Map<string, number>
  /** The people who had a private reply on the post, or are about to get one. */
  privatelyAnswered: Set<string>
}

const atPlace = (place: number, personId: string): string => `${place} ${personId}`

async function readWorld(
  tx: Queryable,
  post: ActingPost,
  rule: Rule,
  comments: readonly IncomingComment[],
): Promise<World> {
  const present = (ids: readonly (string | null | undefined)[]): string[] => [
    ...new Set(ids.flatMap((id) => (id == null ? [] : [id]))),
  ]
  const personIds = present(comments.map(({ personId }) => personId))
  const parentIds = present(comments.map(({ parentId }) => parentId))
  const counted = [
    ...(rule.everyone.peopleMax === null ? [] : [EVERYONE]),
    ...rule.groups.flatMap(({ place, limits }) => (limits.peopleMax === null ? [] : [place])),
  ]
  const people = new Map<number, number>()
  for (const place of counted) people.set(place, await countAnswered(tx, post, place))
  const ids = comments.map(({ commentId }) => commentId)
  return {
    ownIds: new Set(await listOwnComments(tx, post, [...ids, ...parentIds])),
    answeredThreads: new Set(await listAnsweredThreads(tx, post, parentIds)),
    // A human's answer may arrive in the same batch as the comment, and an undecided comment has no reply of ours yet.
    answeredByPeople: new Set([
      ...(await listAnsweredByPeople(tx, post, ids)),
      ...present(comments.filter((comment) => isOwn(post, comment)).map(({ parentId }) => parentId)),
    ]),
    optedOut: await listOptedOut(tx, post, personIds),
    people,
    privatelyAnswered: await listPrivatelyAnswered(tx, post, personIds),
    lastAtMs: new Map(
      (await listAnswered(tx, post, personIds)).map(({ place, personId, lastAtMs }) => [
        atPlace(place, personId),
        lastAtMs,
      ]),
    ),
  }
}

interface Deciding {
  post: ActingPost
  rule: Rule
  world: World
  turn: Turn
}

type OneDecision = Pick<LedgerComment, 'reason'> & {
  group: number | null
  effects: Omit<LedgerEffect, 'commentId' | 'groupPlace' | 'personId'>[]
  entersRaffle: boolean
}

const without = (reason: CommentReason): OneDecision => ({ reason, group: null, effects: [], entersRaffle: false })

function decideOne(deciding: Deciding, comment: IncomingComment): OneDecision {
  const { post, rule, world, turn } = deciding
  const refusal = findRefusal(deciding, comment)
  if (refusal !== undefined && refusal !== 'human_first') return without(refusal)
  const group = findGroup(rule, comment.text ?? null)
  const personId = comment.personId!
  const answered = (place: number): Answered => {
    const lastAtMs = world.lastAtMs.get(atPlace(place, personId)) ?? null
    return { people: world.people.get(place) ?? 0, includesPerson: lastAtMs !== null, lastAtMs }
  }
  const isInstagram = post.type === 'INSTAGRAM_ACCOUNT'
  const decision = decide(
    rule,
    {
      id: comment.commentId,
      text: comment.text ?? null,
      atMs: comment.at,
      personId,
      personName: isInstagram ? null : (comment.fromName ?? null),
      username: isInstagram ? (comment.fromName ?? null) : null,
    },
    {
      channelType: post.type,
      chance: createChance(turn.chanceKey, comment.commentId),
      group: answered(group?.place ?? EVERYONE),
      everyone: answered(EVERYONE),
      hasPrivateReply: world.privatelyAnswered.has(personId),
      nowMs: turn.now.getTime(),
      notice: post.automated_notice,
    },
  )
  // In a dry run nobody enters, because winners would get nothing.
  const entersRaffle = decision.entersRaffle && post.mode === 'on'
  // A person whom a human answered may still win, and a human notifies them.
  if (refusal !== undefined) return { ...without(refusal), entersRaffle }
  if (decision.reason === 'matched') for (const place of [decision.group!, EVERYONE]) count(world, place, comment)
  if (decision.effects.some(({ effect, state }) => effect === 'private_reply' && state === 'planned')) {
    world.privatelyAnswered.add(personId)
  }
  return {
    ...{
      reason: decision.reason,
      group: decision.group,
      effects: toEffects(deciding, comment, decision),
      entersRaffle,
    },
  }
}

/** Returns the reason why nothing is done about a comment, whatever the rule says. */
function findRefusal({ post, world, turn }: Deciding, comment: IncomingComment): CommentReason | undefined {
  const { commentId, parentId, personId, text, at } = comment
  if (world.ownIds.has(commentId) || isOwn(post, comment)) {
    world.ownIds.add(commentId)
    return 'own_comment'
  }
  if (personId != null && isOptOut(text ?? '')) world.optedOut.add(personId)
  if (parentId != null && (world.ownIds.has(parentId) || world.answeredThreads.has(parentId))) return 'reply_to_us'
  if (post.is_stopped) return 'stopped'
  if (post.mode === 'off') return 'switched_off'
  if (post.since !== null && at < post.since.getTime()) return 'before_switch'
  if (personId == null) return 'no_person'
  if (world.optedOut.has(personId)) return 'opted_out'
  if (world.answeredByPeople.has(commentId)) return 'human_first'
  return turn.now.getTime() - at > WINDOW_MS ? 'too_old' : undefined
}

/** Returns whether the channel itself wrote the comment: a channel's id ends with the platform's id of the page. */
const isOwn = ({ channel_id, type }: ActingPost, { personId }: IncomingComment): boolean =>
  personId != null && channel_id === `${type}_${personId}`

function count({ people, lastAtMs }: World, place: number, { personId, at }: IncomingComment): void {
  const key = atPlace(place, personId!)
  const before = lastAtMs.get(key)
  if (before === undefined && people.has(place)) people.set(place, people.get(place)! + 1)
  lastAtMs.set(key, Math.max(before ?? at, at))
}

function toEffects({ post }: Deciding, comment: IncomingComment, { effects }: Decision): OneDecision['effects'] {
  // Instagram accepts replies only to top-level comments; the `parent_id` of a page's comment may be the post.
  const isReply = post.type === 'INSTAGRAM_ACCOUNT' && comment.parentId != null && comment.parentId !== comment.objectId
  return effects.map(({ effect, state, reason, reply, dueAtMs, afterPrivate, isOnce }) => {
    const row = { effect, reply, dueAtMs, nextAttemptAtMs: null, isOnce }
    if (state === 'skipped') return { ...row, state, reason }
    if (isReply && effect === 'public_reply') return { ...row, state: 'skipped', reason: 'not_replyable' }
    if (post.mode === 'shadow') return { ...row, state: 'skipped', reason: 'dry_run' }
    return { ...row, state, reason, nextAttemptAtMs: afterPrivate ? null : dueAtMs }
  })
}

const toLedgerComment = (
  comment: IncomingComment,
  groupPlace: number | null,
  reason: CommentReason,
): LedgerComment => ({
  commentId: comment.commentId,
  parentId: comment.parentId ?? null,
  personId: comment.personId ?? null,
  fromName: comment.fromName ?? null,
  text: comment.text ?? null,
  commentedAtMs: comment.at,
  groupPlace,
  reason,
})

async function storeDecided(tx: Queryable, post: ActingPost, decided: readonly Decided[], now: Date): Promise<void> {
  if (decided.length === 0) return
  const comments = decided.map(({ comment }) => comment)
  const effects = decided.flatMap((row) => row.effects)
  await insertComments(tx, post, comments, now)
  await insertEffects(tx, post, effects, now)
  await upsertAnswered(tx, post, lastAnswers(comments.flatMap(toAnswered)))
  await insertOptOuts(
    tx,
    post.organization_id,
    decided.flatMap(({ comment: { personId }, isOptOut }) =>
      isOptOut && personId !== null ? [{ channelId: post.channel_id, personId, source: 'comment' as const }] : [],
    ),
    now,
  )
  await skipAnsweredByPeople(
    tx,
    post,
    comments.flatMap(({ reason, parentId, commentId }) =>
      reason === 'own_comment' && parentId !== null ? [{ commentId: parentId, answerId: commentId }] : [],
    ),
    now,
  )
  await takeTurns(
    tx,
    post,
    effects.flatMap(({ effect, personId, nextAttemptAtMs: atMs }) =>
      atMs === null ? [] : [{ effect, queue: post.scheduled_post_id, personId, atMs }],
    ),
  )
  await noteNewestComment(tx, post, new Date(Math.max(...comments.map(({ commentedAtMs }) => commentedAtMs))))
}

const toAnswered = ({ personId, groupPlace, reason, commentedAtMs }: LedgerComment): AnsweredPerson[] =>
  reason === 'matched' && personId !== null && groupPlace !== null
    ? [groupPlace, EVERYONE].map((place) => ({ place, personId, lastAtMs: commentedAtMs }))
    : []

/** Returns one row per person and place. */
function lastAnswers(answers: readonly AnsweredPerson[]): AnsweredPerson[] {
  const last = new Map<string, AnsweredPerson>()
  for (const answer of answers) {
    const key = atPlace(answer.place, answer.personId)
    if ((last.get(key)?.lastAtMs ?? -Infinity) < answer.lastAtMs) last.set(key, answer)
  }
  return [...last.values()]
}
