import { createHash } from 'node:crypto'
import { findChannelToken, setTokenProblem } from '../channels/channels.store.js'
import { openTarget } from '../channels/open-target.js'
import { GraphError, isAskedForAgain, requireGraphError } from '../graph/graph-error.js'
import type { Context } from '../http/context.js'
import { UnsealError } from '../lib/seal.js'
import { networkOf } from '../networks/networks.js'
import { type Found, type PublishAdapter, type Published, type Publishing, plainText } from '../networks/publishing.js'
import { CHANNEL_DELETED } from '../posts/lose-channel.js'
import type { PostChannelRow, ScheduledPostRow } from '../posts/scheduled-post-row.js'
import { isAhead } from '../work/claim.js'
import { type CallOutcome, oneCall } from '../work/one-call.js'
import {
  ASKED_AGAIN,
  after,
  afterMediaFailure,
  BACK_OFF,
  failed,
  GOING_ON,
  PUBLISHED,
  putOff,
  renew,
  SEARCHES,
  searchAgain,
} from './changes.js'
import {
  checkFoundItems,
  type PostLease,
  type PublicationChange,
  PublicationConflictError,
  type PublicationRow,
  savePublication,
  WAIT_MS_MAX,
} from './publications.store.js'
import {
  isDoubtful,
  isLasting,
  isTaken,
  mayBeOut,
  NOT_HELD,
  notSeen,
  SAME_TEXT,
  TOKEN_SEALED,
  tooLate,
  waitReasonOf,
} from './reasons.js'

export type PublisherContext = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'graph' | 'sealer' | 'tracing'>

/** One channel of a claimed post. */
interface ChannelJob extends PublisherContext {
  lease: PostLease
  post: ScheduledPostRow
  channel: PostChannelRow
  /** No further step may begin once this is aborted. */
  stopping: AbortSignal
  /** False once another publisher may have taken the post over. */
  isHeld(): boolean
  /** Compares the media with what was approved, once for all channels, before the platform gets their address. */
  compareMedia(): Promise<MediaComparison>
  /** True if the media have changed: the post goes back to approval, and channels that have not begun stop. */
  isReturned(): boolean
  /** Lengthens a wait, so that publications postponed together are not retried together. */
  jitter(ms: number): number
}

/** How the media at the address compare with what was approved. */
export type MediaComparison = { is: 'same' } | { is: 'other'; reason: string } | { is: 'unknown'; reason: string }

/** The delay after a failed search, which does not count as one. */
const SEARCH_AGAIN_MS = 30_000
/** The delay after an access token could not be decrypted. */
const KEY_WAIT_MS = 60_000
/** How long after the call the platform is asked whether a post is out. */
const SETTLE_MS_MAX = 86_400_000
/** The precision to which the platform's clock is known. */
const CLOCK_MARGIN_MS = 60_000
/** How late a call of another post with the same text, whose outcome is unknown, may still take effect. */
const CONTEST_MS = 3_600_000

export type Step = 'none' | 'confirm' | 'find' | 'give-up' | 'prepare' | 'publish'

/** Returns the next step on a channel. It depends on the row only, so that any publisher can continue from there. */
export function nextStep(row: PublicationRow, adapter: Pick<PublishAdapter, 'prepare'>, lateAt: Date, now: Date): Step {
  if (row.state !== 'PENDING') return 'none'
  if (isAhead(row.next_attempt_at, now, WAIT_MS_MAX)) return 'none'
  if (row.external_id !== null) return 'confirm'
  if (row.attempted_at !== null) return 'find'
  if (now > lateAt) return 'give-up'
  if (row.container_id === null && adapter.prepare !== undefined) return 'prepare'
  return 'publish'
}

/**
 * Advances a channel until it is published, has failed, must wait, or no step may begin. Returns the row as stored. Throws
 * LeaseLostError, a database error, or the reason why a call was aborted: the next claim continues from what is stored.
 */
export async function publishChannel(job: ChannelJob, publication: PublicationRow): Promise<PublicationRow> {
  const plan = toPlan(job)
  let row = publication
  while (!job.stopping.aborted) {
    const step = nextStep(row, plan.adapter, plan.lateAt, plan.now())
    if (step === 'none') break
    // Read for each step, so that an operator's change applies from the next call on.
    const turn = { ...plan, ...(await readAccess(job)) }
    // A post that is too late is ended even if the organization is inactive (docs/decisions/publisher.md).
    if (!turn.isActive && plan.now() <= plan.lateAt) break
    const before = row
    row = await traced(turn, step, row)
    // Nothing was done: the media at the address have changed.
    if (row === before && job.isReturned()) break
  }
  return row
}

async function traced(turn: Turn, step: Exclude<Step, 'none'>, row: PublicationRow): Promise<PublicationRow> {
  const take = () => STEPS[step](turn, row).catch((error) => waitForKey(turn, row, error))
  if (turn.tracing === undefined) return await take()
  return await turn.tracing.part(step, 'internal', { 'greenroom.channel': row.channel_id }, async (note) => {
    const after = await take()
    note({ 'greenroom.state': after.state })
    return after
  })
}

/**
 * A token that cannot be decrypted proves nothing against it: the key is wrong, and the next process may have the right one.
 * So neither the post nor the channel fails. Each step decrypts the token before it does anything else.
 */
async function waitForKey(turn: Turn, row: PublicationRow, thrown: unknown): Promise<PublicationRow> {
  if (!(thrown instanceof UnsealError)) throw thrown
  const { lease, log } = turn
  const ids = { organization: lease.organizationId, post: lease.scheduledPostId, channel: row.channel_id }
  log.error({ ...ids, err: thrown }, 'cannot open the access token of a channel: its post waits')
  // Keeps the reason why the call's answer was lost.
  const error = row.attempted_at === null ? TOKEN_SEALED : row.error
  return turn.save(row, { error, wait_reason: 'token_unreadable', next_attempt_at: after(turn, KEY_WAIT_MS) })
}

/** The parts of a channel's work that stay the same from step to step. */
interface Plan extends ChannelJob {
  adapter: PublishAdapter
  lateAt: Date
  now(): Date
  /** The platform's ids of the objects that this run prepared. */
  preparedIds: Set<string>
  save(row: PublicationRow, change: PublicationChange): Promise<PublicationRow>
}

/** The state of the channel and its organization, which operators may change at any time. */
interface Access {
  /** Null if the channel is not connected to its platform. */
  tokenSealed: string | null
  pageId: string | null
  /** True if the channel was deleted. */
  isDeleted: boolean
  /** True if the organization is active. */
  isActive: boolean
}

/** Everything that one step works with. */
type Turn = Plan & Access

function toPlan(job: ChannelJob): Plan {
  const { clock, config, database, lease, post, channel } = job
  const now = (): Date => new Date(clock.now())
  return {
    ...job,
    adapter: networkOf(channel).publishing[post.media_type === 'VIDEO' ? 'VIDEO' : 'IMAGE'],
    lateAt: new Date((post.scheduled_for?.getTime() ?? 0) + config.publisher.latePostHours * 3_600_000),
    now,
    preparedIds: new Set(),
    save: (row, change) => savePublication(database, lease, row, change, now()),
  }
}

async function readAccess({ database, lease, channel }: ChannelJob): Promise<Access> {
  const found = await findChannelToken(database, lease.organizationId, channel.channel_id)
  return {
    tokenSealed: found?.access_token_sealed ?? null,
    pageId: found?.page_id ?? null,
    isDeleted: found?.deleted ?? false,
    isActive: found?.organization_active ?? true,
  }
}

/** Each step takes the row as stored and returns it as it stored it. */
const STEPS: Record<Exclude<Step, 'none'>, (turn: Turn, row: PublicationRow) => Promise<PublicationRow>> = {
  prepare,
  publish,
  find,
  confirm,
  'give-up': giveUp,
}

/** Fails a post that has waited too long. */
async function giveUp(turn: Turn, row: PublicationRow): Promise<PublicationRow> {
  const reason = tooLate(turn.config.publisher.latePostHours)
  return turn.save(row, failed(row.error === null ? reason : `${reason} The last problem: ${row.error}`))
}

/**
 * Compares the media before the platform gets their address. Returns undefined if they are unchanged; otherwise the row,
 * either postponed, or unchanged because the post goes back to approval.
 */
async function holdBack(turn: Turn, row: PublicationRow): Promise<PublicationRow | undefined> {
  const media = await turn.compareMedia()
  if (media.is === 'same') return undefined
  if (media.is === 'other') return row
  return turn.save(row, putOff(turn, row, { wait: 'media_unreachable', reason: media.reason, backOff: BACK_OFF }))
}

/** Prepares what can be prepared without publishing. */
async function prepare(turn: Turn, row: PublicationRow): Promise<PublicationRow> {
  const held = await holdBack(turn, row)
  if (held !== undefined) return held
  let change: PublicationChange
  try {
    const prepared = await turn.adapter.prepare!(openPublishing(turn))
    if (prepared.is === 'prepared') turn.preparedIds.add(prepared.id)
    change = prepared.is === 'prepared' ? { container_id: prepared.id, ...GOING_ON } : putOff(turn, row, prepared)
  } catch (error) {
    change = await afterRefusal(turn, row, requireGraphError(error))
  }
  return turn.save(row, change)
}

/** Makes the one call that publishes. The intention is stored first, so that the call is never repeated. */
async function publish(turn: Turn, row: PublicationRow): Promise<PublicationRow> {
  const held = turn.adapter.prepare === undefined ? await holdBack(turn, row) : undefined
  if (held !== undefined) return held
  const preparedId = row.container_id ?? ''
  let publishing: Publishing
  try {
    publishing = openPublishing(turn)
    const checked = await turn.adapter.check?.(publishing, preparedId, turn.preparedIds.has(preparedId))
    if (checked?.is === 'not-yet') return turn.save(row, putOff(turn, row, checked))
    if (checked?.is === 'stale') return turn.save(row, renew(turn, row, putOff(turn, row, checked)))
    if (checked?.is === 'media-failure') return turn.save(row, afterMediaFailure(turn, row, checked.reason))
    if (checked?.is === 'never') return turn.save(row, failed(checked.reason))
    // It is unknown which call published it, only that none was made before the scheduled time.
    if (checked?.is === 'out') return saveAttempt(turn, row, turn.post.scheduled_for)
    if (checked?.is === 'unseen' && (await isListed(turn, row, publishing))) {
      return saveAttempt(turn, row, turn.post.scheduled_for)
    }
  } catch (error) {
    return turn.save(row, await afterRefusal(turn, row, requireGraphError(error)))
  }
  // The check may have been slow: start the step again if the access changed in the meantime.
  if (turn.adapter.check !== undefined && !(await isUnchanged(turn))) return row

  return oneCall<PublicationRow, string>(row, {
    stateOf: ({ attempted_at, external_id }) =>
      attempted_at === null ? undefined : external_id === null ? 'attempting' : 'done',
    attempt: () => saveAttempt(turn, row, turn.now()),
    isHeld: turn.isHeld,
    call: async () => (await turn.adapter.publish(publishing, preparedId)).id,
    outcomeOf: (error) => requireGraphError(error).outcome,
    store: (attempted, outcome) => saveOutcome(turn, row, attempted, outcome),
  })
}

/** Stores the outcome of the attempt. `before` is the publication before the attempt, from which waits continue. */
async function saveOutcome(
  turn: Turn,
  before: PublicationRow,
  attempted: PublicationRow,
  outcome: CallOutcome<string>,
): Promise<PublicationRow> {
  switch (outcome.is) {
    case 'done': {
      const id = outcome.answer
      return (await saveUnlessTaken(turn, attempted, { external_id: id })) ?? turn.save(attempted, failed(isTaken(id)))
    }
    // The write succeeds only if no other publisher has begun to search for the call, so the outcome is certain.
    case 'not-held':
      return turn.save(attempted, { attempted_at: null, ...putOff(turn, before, NOT_HELD) })
    case 'refused': {
      const change = await afterRefusal(turn, before, requireGraphError(outcome.error))
      return turn.save(attempted, { attempted_at: null, ...change })
    }
    case 'unknown': {
      const { userText: error } = requireGraphError(outcome.error)
      return turn.save(attempted, searchAgain(turn, { error, waitMs: SEARCHES.after(0)! }))
    }
  }
}

/**
 * Returns whether an earlier call published it although the platform refused that call. While the platform does not show the
 * container, only the list of published items can say.
 */
async function isListed(turn: Turn, row: PublicationRow, publishing: Publishing): Promise<boolean> {
  // The digest is stored with the first call.
  if (row.text_digest === null) return false
  const scheduledFor = turn.post.scheduled_for ?? turn.now()
  const since = (): Date => new Date(scheduledFor.getTime() - CLOCK_MARGIN_MS)
  const found = await turn.adapter.find(publishing, row.container_id ?? '', since)
  if (found.is === 'never') return false
  return (await findOwn(turn, { ...row, attempted_at: scheduledFor }, found.sameText)) !== undefined
}

async function isUnchanged(turn: Turn): Promise<boolean> {
  const { tokenSealed, isDeleted, isActive } = await readAccess(turn)
  return tokenSealed === turn.tokenSealed && isDeleted === turn.isDeleted && isActive === turn.isActive
}

/**
 * Stores that the call is about to be made. Postpones it while another call for the same text on the channel has an unknown
 * outcome: whichever post is published would be found for both. The row then has no attempted_at.
 */
async function saveAttempt(turn: Turn, row: PublicationRow, attemptedAt: Date | null): Promise<PublicationRow> {
  const text_digest = createHash('sha256')
    .update(plainText(turn.channel.caption ?? ''))
    .digest('base64url')
  const attempt = {
    attempted_at: attemptedAt,
    platform_attempted_at: attemptedAt && toPlatformTime(turn, attemptedAt),
    text_digest,
    attempts: 0,
    ...GOING_ON,
  }
  return (
    (await saveUnlessTaken(turn, row, attempt)) ??
    turn.save(row, putOff(turn, row, { wait: 'same_text', reason: SAME_TEXT }))
  )
}

/** Returns our instant by the platform's clock; null if no response has shown that clock yet. */
function toPlatformTime({ graph, now }: Turn, instant: Date): Date | null {
  const platformNow = graph.platformNow()
  return platformNow === undefined ? null : new Date(platformNow.getTime() + instant.getTime() - now().getTime())
}

/**
 * Returns an instant before the call, by the platform's clock. If that was unknown at the time, our own clock may have been
 * changed since.
 */
function platformAttemptMs(turn: Turn, row: PublicationRow): number {
  const attemptedAt = row.attempted_at!
  if (row.platform_attempted_at !== null) return row.platform_attempted_at.getTime()
  return Math.min(attemptedAt.getTime(), (toPlatformTime(turn, attemptedAt) ?? attemptedAt).getTime())
}

/** Returns undefined if another post on the channel has the id or the open call. */
async function saveUnlessTaken(
  turn: Turn,
  row: PublicationRow,
  change: PublicationChange,
): Promise<PublicationRow | undefined> {
  try {
    return await turn.save(row, change)
  } catch (error) {
    if (error instanceof PublicationConflictError) return undefined
    throw error
  }
}

/** Searches for what a call without a response may have published. */
async function find(turn: Turn, row: PublicationRow): Promise<PublicationRow> {
  const attemptedMs = row.attempted_at!.getTime()
  let isOut = false
  let { error } = row
  try {
    const since = (): Date => new Date(platformAttemptMs(turn, row) - CLOCK_MARGIN_MS)
    const found = await turn.adapter.find(openPublishing(turn), row.container_id ?? '', since)
    if (found.is === 'never') return turn.save(row, failed(found.reason))
    const adopted = await adopt(turn, row, found)
    if (adopted !== undefined) return adopted
    isOut = found.isOut
  } catch (thrown) {
    const graphError = requireGraphError(thrown)
    error = graphError.userText
    if (graphError.kind === 'credentials') {
      const isStillRefused = await markToken(turn, graphError)
      return turn.save(row, isStillRefused ? failed(mayBeOut(error)) : { next_attempt_at: null })
    }
    if (!isLasting(graphError)) {
      const isSettled = turn.now().getTime() - attemptedMs > SETTLE_MS_MAX
      const waitMs = Math.max(SEARCH_AGAIN_MS, retryAfterMs(graphError))
      return turn.save(row, isSettled ? failed(mayBeOut(error)) : searchAgain(turn, { error, waitMs }))
    }
  }
  const attempts = row.attempts + 1
  const waitMs = SEARCHES.after(attempts)
  if (waitMs !== undefined) return turn.save(row, { attempts, ...searchAgain(turn, { error, waitMs }) })
  return turn.save(row, isOut ? PUBLISHED : failed(mayBeOut(error)))
}

/** Stores the found item as the row's own, if it cannot belong to another post; otherwise returns undefined. */
async function adopt(turn: Turn, row: PublicationRow, found: Found): Promise<PublicationRow | undefined> {
  const candidate = found.exact ?? (await findOwn(turn, row, found.sameText))
  if (candidate === undefined) return undefined
  const { id, permalink = null } = candidate
  return saveUnlessTaken(turn, row, { external_id: id, permalink, attempts: 0, ...GOING_ON })
}

/** Returns the one item that belongs to no other post; undefined if there are several, or if it might belong to another. */
async function findOwn(turn: Turn, row: PublicationRow, sameText: Published[]): Promise<Published | undefined> {
  if (sameText.length === 0) return undefined
  // A video of a page is also a post in its feed, where its id has the page's id in front.
  const namesOf = ({ id }: Published): string[] => [id, id.slice(id.indexOf('_') + 1)]
  const since = new Date(row.attempted_at!.getTime() - CONTEST_MS)
  const ids = sameText.flatMap(namesOf)
  const { takenIds, isContested } = await checkFoundItems(turn.database, turn.lease, row, { ids, since })
  const [own, ...others] = sameText.filter((item) => !namesOf(item).some((id) => takenIds.has(id)))
  return isContested || others.length > 0 ? undefined : own
}

/** Checks whether the post is out, and where: the platform has accepted it. */
async function confirm(turn: Turn, row: PublicationRow): Promise<PublicationRow> {
  const id = row.external_id!
  let permalink = row.permalink ?? undefined
  try {
    const publishing = openPublishing(turn)
    const state = await turn.adapter.follow?.(publishing, id)
    if (state?.is === 'never') return turn.save(row, failed(state.reason))
    if (state?.is === 'not-yet') return turn.save(row, putOffWhileUnsettled(turn, row, putOff(turn, row, state)))
    permalink ??= await readPermalink(publishing, id)
  } catch (thrown) {
    const error = requireGraphError(thrown)
    // If there is nothing to follow, it is out, with or without a link.
    if (turn.adapter.follow !== undefined) {
      const change = await afterRefusal(turn, row, error)
      if (change.state !== 'FAILED') return turn.save(row, putOffWhileUnsettled(turn, row, change))
      return turn.save(row, failed(notSeen(id, error.userText)))
    }
  }
  return turn.save(row, { ...PUBLISHED, permalink: permalink ?? null })
}

function putOffWhileUnsettled(turn: Turn, row: PublicationRow, change: PublicationChange): PublicationChange {
  const isSettled = turn.now().getTime() - row.attempted_at!.getTime() > SETTLE_MS_MAX
  return isSettled ? failed(notSeen(row.external_id!, change.error ?? '')) : change
}

/** Tries once: a permalink is not worth more. */
async function readPermalink({ target }: Publishing, id: string): Promise<string | undefined> {
  try {
    return await networkOf(target).getPermalink(target, id)
  } catch (error) {
    requireGraphError(error)
    return undefined
  }
}

/** Throws a GraphError if the channel has no usable connection, and an UnsealError if its token cannot be decrypted. */
function openPublishing({ sealer, graph, lease, post, channel, tokenSealed, pageId, isDeleted }: Turn): Publishing {
  const { channel_id: channelId, type, caption } = channel
  const refuse = (message: string): GraphError => new GraphError('credentials', message, { outcome: 'refused' })
  if (isDeleted) throw refuse(CHANNEL_DELETED)
  if (tokenSealed === null) {
    throw refuse('The channel is not connected to its platform.')
  }
  const connected = {
    organization_id: lease.organizationId,
    ...{ channel_id: channelId, type, page_id: pageId, access_token_sealed: tokenSealed },
  }
  return {
    target: openTarget({ graph, sealer }, connected),
    mediaType: post.media_type === 'VIDEO' ? 'VIDEO' : 'IMAGE',
    mediaUrl: post.media ?? '',
    altText: post.alt_text ?? undefined,
    aiGenerated: post.ai_generated,
    caption: caption ?? '',
  }
}

/** Returns false if the channel has another token by now, which the next step will use. */
async function markToken({ database, clock, lease, channel, tokenSealed }: Turn, error: GraphError): Promise<boolean> {
  if (tokenSealed === null) return true
  return await setTokenProblem(database, lease.organizationId, channel.channel_id, {
    problem: error.userText,
    refusedTokenSealed: tokenSealed,
    at: new Date(clock.now()),
  })
}

/** Returns the change after a call that certainly published nothing. */
async function afterRefusal(turn: Turn, row: PublicationRow, error: GraphError): Promise<PublicationChange> {
  const reason = error.userText
  if (isDoubtful(turn.channel.type, row, error))
    return renew(turn, row, putOff(turn, row, { reason, backOff: BACK_OFF }))
  if (error.kind === 'credentials') return (await markToken(turn, error)) ? failed(reason) : GOING_ON
  if (error.kind === 'media') return afterMediaFailure(turn, row, reason)
  if (isLasting(error)) {
    // Either the prepared object or the channel is gone; preparing it again will show which.
    const canRenew = error.kind === 'not-found' && turn.adapter.check !== undefined && row.container_id !== null
    return canRenew ? renew(turn, row, putOff(turn, row, { reason, backOff: BACK_OFF })) : failed(reason)
  }
  const wait = waitReasonOf(error)
  const retryAt = after(turn, retryAfterMs(error))
  // Another call hit this limit, so none was made here. The post has not failed: it continues when the limit ends.
  const isHeldBack = error.kind === 'rate-limited' && error.status === undefined
  if (isHeldBack) return { error: reason, wait_reason: wait, next_attempt_at: retryAt }
  const backOff = putOff(turn, row, { wait, reason, backOff: isAskedForAgain(error) ? ASKED_AGAIN : BACK_OFF })
  return backOff.next_attempt_at! > retryAt ? backOff : { ...backOff, next_attempt_at: retryAt }
}

const retryAfterMs = ({ retryAfterSeconds = 0 }: GraphError): number => retryAfterSeconds * 1000
