import { expect } from 'vitest'
import type { SandboxComment } from '../../packages/sandbox/src/comments/comments.js'
import type { Sandbox } from '../../packages/sandbox/src/sandbox.js'
import type { Queryable } from '../../src/database/database.js'
import { listRows, listValues } from '../../src/database/queries.js'
import type { ChannelType, Superpower } from '../../src/interface/generated/types.js'
import {
  addressed,
  asksToStop,
  DAY_MS,
  delayOf,
  expiresAt,
  groupFor,
  HOUR_MS,
  hasTimeLimit,
  isIdle,
  KINDS,
  type Kind,
  kindsOf,
  shareOf,
  textsOf,
} from './oracle.js'
import type { Posted } from './platform-log.js'

export interface WatchedPost {
  postId: string
  channelId: string
  pageId: string
  type: ChannelType
  /** The platform's id of the commented object. */
  objectId: string
  superpower: Superpower
  publishedAt: number
  isStopped: boolean
  /** Its channel was off when the post ended, so its comments are not read then or later. */
  isOffAtItsEnd: boolean
}

export interface WatchedChannel {
  channelId: string
  type: ChannelType
  mode: 'off' | 'shadow' | 'on'
  since: number
  perHour: number
  notice: string | null
}

export interface CommentRow {
  comment_id: string
  channel_id: string
  parent_id: string | null
  person_id: string | null
  group_place: number | null
  reason: string
  at: number
  decided: number
}

export interface EffectRow {
  comment_id: string
  channel_id: string
  effect: Kind
  state: string
  reason: string | null
  due: number
  next: number | null
  attempted: number | null
  external_id: string | null
}

/** The ledger and the stopped channels at one moment. */
interface Snapshot {
  comments: Map<string, CommentRow>
  effects: Map<string, EffectRow>
  blocked: ReadonlySet<string>
}

/** Something that the platform carried out for us. */
interface Done {
  kind: Kind
  commentId: string
  at: number
  text: string | undefined
  /** A process stalled between the attempt and the call, so the call's time differs from that of the limit. */
  isStalled: boolean
}

const at = (kind: string, commentId: string): string => `${kind} ${commentId}`

/**
 * Records what the platform carried out and what the service wrote, after each step, with the switches as they were
 * before the step.
 */
export class Witness {
  readonly posts: WatchedPost[] = []
  readonly channels: WatchedChannel[] = []
  organization: { mode: 'off' | 'shadow' | 'on'; since: number } = { mode: 'on', since: 0 }
  /** `<channel> <person>`, opted out by hand or by message. */
  readonly optedOut = new Set<string>()
  readonly done: Done[] = []
  /** The comments that people made. */
  readonly made: string[] = []
  /** The comments that a hook delivered. */
  readonly delivered = new Set<string>()
  /** The comments decided in a dry run. */
  private readonly dry = new Set<string>()
  /** The effects that were postponed: they waited for more than their turn. */
  private readonly wasPutOff = new Set<string>()
  private seen = { messages: 0, replies: 0, likes: 0 }
  private before: Snapshot = { comments: new Map(), effects: new Map(), blocked: new Set() }

  constructor(
    private readonly database: Queryable,
    private readonly organizationId: string,
    private readonly sandbox: Sandbox,
    private readonly posted: readonly Posted[],
    private readonly now: () => number,
  ) {}

  postOf = ({ objectId }: SandboxComment): WatchedPost => this.posts.find((post) => post.objectId === objectId)!

  channelOf = (channelId: string): WatchedChannel => this.channels.find((each) => each.channelId === channelId)!

  modeOn({ mode }: WatchedChannel): 'off' | 'shadow' | 'on' {
    const modes = [mode, this.organization.mode]
    return modes.includes('off') ? 'off' : modes.includes('shadow') ? 'shadow' : 'on'
  }

  private sinceOn = ({ since }: WatchedChannel): number => Math.max(since, this.organization.since)

  private async read(): Promise<Snapshot> {
    const values = [this.organizationId]
    const comments = await listRows<CommentRow>(
      this.database,
      `select comment_id, channel_id, parent_id, person_id, group_place, reason,
              (extract(epoch from commented_at) * 1000)::bigint as at, (extract(epoch from decided_at) * 1000)::bigint as decided
         from automation_comments where organization_id = $1`,
      values,
    )
    const effects = await listRows<EffectRow>(
      this.database,
      `select comment_id, channel_id, effect, state, reason, (extract(epoch from due_at) * 1000)::bigint as due,
              (extract(epoch from next_attempt_at) * 1000)::bigint as next,
              (extract(epoch from attempted_at) * 1000)::bigint as attempted, external_id
         from automation_effects where organization_id = $1`,
      values,
    )
    const blocked = await listRows<{ channel_id: string }>(
      this.database,
      'select channel_id from channels where organization_id = $1 and automation_problem is not null',
      values,
    )
    return {
      comments: new Map(comments.map((row) => [row.comment_id, row])),
      effects: new Map(effects.map((row) => [at(row.effect, row.comment_id), row])),
      blocked: new Set(blocked.map(({ channel_id }) => channel_id)),
    }
  }

  /** Records what is new since the last look. */
  async look(isStalled = false): Promise<void> {
    // This is read first, because a working process writes its row before each call.
    const fresh = this.takeDone(isStalled)
    const now = await this.read()
    for (const post of this.posts) {
      const isOff = this.modeOn(this.channelOf(post.channelId)) === 'off'
      if (isOff && this.now() >= readUntil(post)) post.isOffAtItsEnd = true
    }
    for (const [id, row] of now.comments) if (!this.before.comments.has(id)) this.checkDecided(row, now)
    this.done.push(...fresh)
    for (const done of fresh) this.checkDone(done, now)
    for (const effect of now.effects.values()) {
      if (effect.state === 'attempting' && !this.isUnderWay(effect)) this.checkHeeded(effect)
    }
    for (const [key, row] of this.before.effects) this.checkMove(row, now.effects.get(key))
    for (const { comment_id, channel_id, reason, person_id } of now.comments.values()) {
      const isNew = !this.before.comments.has(comment_id)
      const { text } = this.sandbox.comments.require(comment_id)
      if (isNew && reason !== 'own_comment' && person_id !== null && asksToStop(text)) {
        this.optedOut.add(`${channel_id} ${person_id}`)
      }
    }
    this.before = now
  }

  private takeDone(isStalled: boolean): Done[] {
    const { messages, replies, likes } = this.sandbox
    const fresh: Done[] = [
      ...messages
        .slice(this.seen.messages)
        .map((each) => ({ ...each, kind: 'private_reply' as const, commentId: each.commentId!, isStalled })),
      ...replies.slice(this.seen.replies).map((each) => ({ ...each, kind: 'public_reply' as const, isStalled })),
      ...likes.slice(this.seen.likes).map((each) => ({ ...each, kind: 'like' as const, text: undefined, isStalled })),
    ]
    this.seen = { messages: messages.length, replies: replies.length, likes: likes.length }
    return fresh
  }

  /** Fails if an effect left a final state, unless an answer arrived after the effect was abandoned. */
  private checkMove(row: EffectRow, next: EffectRow | undefined): void {
    const where = at(row.effect, row.comment_id)
    expect(next, `${where} vanished`).toBeDefined()
    const [from, to] = [row.state, next!.state]
    if (to === 'planned' && next!.reason !== null) this.wasPutOff.add(where)
    if (['done', 'refused', 'skipped'].includes(from)) expect(to, where).toBe(from)
    if (from === 'unknown') expect(['unknown', 'done', 'refused'], where).toContain(to)
  }

  // Decisions.

  private checkDecided(row: CommentRow, now: Snapshot): void {
    const comment = this.sandbox.comments.require(row.comment_id)
    const possible = this.reasonsFor(comment, row)
    expect(possible, `the reason of ${row.comment_id}, ${JSON.stringify(comment.text)}`).toContain(row.reason)
    const { superpower, channelId } = this.postOf(comment)
    if (this.modeOn(this.channelOf(channelId)) === 'shadow') this.dry.add(row.comment_id)
    const rows = KINDS.filter((kind) => now.effects.has(at(kind, row.comment_id)))
    if (row.reason !== 'matched') return void expect(rows, row.comment_id).toEqual([])
    const place = groupFor(superpower, comment.text)
    expect(row.group_place, `the group of ${JSON.stringify(comment.text)}`).toBe(place)
    expect(rows, `the effects of ${row.comment_id}`).toEqual(kindsOf(superpower.conditionGroups![place!]!))
  }

  /** Returns the possible reasons for a decision. Comments that are decided together may or may not see each other. */
  private reasonsFor(comment: SandboxComment, row: CommentRow): string[] {
    const { person, text, parentId, isAnonymous } = comment
    if (person === undefined) return ['own_comment']
    const post = this.postOf(comment)
    const channel = this.channelOf(post.channelId)
    const possible: string[] = []
    const isOver = ([reason, is]: readonly [string, boolean | 'maybe']): boolean => {
      if (is !== false) possible.push(reason)
      return is === true
    }
    const order: (readonly [string, boolean | 'maybe'])[] = [
      ['reply_to_us', parentId === undefined ? false : this.isThreadOfOurs(parentId)],
      ['stopped', post.isStopped],
      ['switched_off', this.modeOn(channel) === 'off'],
      ['before_switch', row.at < this.sinceOn(channel)],
      ['no_person', isAnonymous],
      ['opted_out', this.isOptedOut(post, comment) || asksToStop(text) || (this.mayOptOut(comment) && 'maybe')],
      ['human_first', this.isAnswered(comment)],
      ['too_old', this.now() - row.at > 7 * DAY_MS],
      ['inactive', isIdle(post.superpower)],
      ['expired', row.at >= expiresAt(post.superpower)],
    ]
    if (order.some(isOver)) return possible
    return [...possible, ...this.reasonsByGroup(post.superpower, text)]
  }

  private reasonsByGroup(superpower: Superpower, text: string): string[] {
    const place = groupFor(superpower, text)
    if (place === null) return ['no_match']
    const { probability = 1, usersLimit = 0, timeLimit = 0 } = superpower.conditionGroups![place]!
    const { globalUsersLimit = 0, globalTimeLimit = 0 } = superpower
    return [
      ...(probability < 1 ? ['chance'] : []),
      ...(probability > 0 ? ['matched'] : []),
      ...(probability > 0 && usersLimit + globalUsersLimit > 0 ? ['users_limit'] : []),
      ...(probability > 0 && timeLimit + globalTimeLimit > 0 ? ['time_limit'] : []),
    ]
  }

  /** True if the page has written beneath the comment; `maybe` if only the platform knows. */
  private isThreadOfOurs(parentId: string): boolean | 'maybe' {
    const ours = this.sandbox.comments
      .of(this.sandbox.comments.require(parentId).objectId)
      .filter((each) => each.person === undefined && each.parentId === parentId)
    if (ours.some(({ id }) => this.before.comments.has(id))) return true
    const state = this.before.effects.get(at('public_reply', parentId))?.state ?? ''
    if (['done', 'unknown'].includes(state)) return true
    return (
      (ours.length > 0 ||
        this.posted.some(({ kind, commentId }) => kind === 'public_reply' && commentId === parentId) ||
        state !== '') &&
      'maybe'
    )
  }

  private isOptedOut = ({ channelId }: WatchedPost, { id, person }: SandboxComment): boolean =>
    this.optedOut.has(`${channelId} ${person!.id}`) || (id !== '' && this.isTiedOptOut(channelId, person!))

  /** Returns whether they opted out in a conversation that a private reply has linked to them. */
  private isTiedOptOut(channelId: string, person: { id: string; conversationId: string }): boolean {
    if (!this.optedOut.has(`${channelId} ${person.conversationId}`)) return false
    return [...this.before.effects.values()].some(
      ({ effect, state, channel_id, comment_id }) =>
        effect === 'private_reply' &&
        state === 'done' &&
        channel_id === channelId &&
        this.sandbox.comments.require(comment_id).person?.id === person.id,
    )
  }

  /** Another comment of theirs that opts out may be decided just before, or a link may become known. */
  private mayOptOut = ({ person, pageId }: SandboxComment): boolean =>
    this.made
      .map((id) => this.sandbox.comments.require(id))
      .some((each) => each.pageId === pageId && each.person!.id === person!.id && asksToStop(each.text)) ||
    [...this.optedOut].some((each) => each.endsWith(` ${person!.conversationId}`))

  /** True if a person at the page has answered; `maybe` if only the platform knows, or if the answer may be ours. */
  private isAnswered(comment: SandboxComment): boolean | 'maybe' {
    const answers = this.humanAnswersTo(comment)
    if (answers.length === 0) return false
    const isKnown = answers.some(({ id }) => this.before.comments.has(id))
    return isKnown && !this.hasPostedTo(comment) ? true : 'maybe'
  }

  private humanAnswersTo = ({ id, objectId }: SandboxComment): SandboxComment[] => {
    const ours = new Set(this.sandbox.replies.map((reply) => reply.id))
    return this.sandbox.comments
      .of(objectId)
      .filter((each) => each.person === undefined && each.parentId === id && !ours.has(each.id))
  }

  private hasPostedTo = ({ id }: SandboxComment): boolean =>
    this.posted.some(({ kind, commentId }) => kind === 'public_reply' && commentId === id) ||
    ['attempting', 'unknown'].includes(this.before.effects.get(at('public_reply', id))?.state ?? '')

  // Effects.

  private checkDone(done: Done, now: Snapshot): void {
    const { kind, commentId } = done
    const where = `${kind} of ${commentId} at ${new Date(done.at).toISOString()}`
    const comment = this.sandbox.comments.require(commentId)
    const post = this.postOf(comment)
    const channel = this.channelOf(post.channelId)
    const same = this.done.filter((each) => each.kind === kind && each.commentId === commentId)
    expect(same, `${where} is made only once`).toHaveLength(1)
    const row = now.comments.get(commentId)
    expect(row?.reason, `${where} has its decision`).toBe('matched')
    const effect = now.effects.get(at(kind, commentId))
    expect(['attempting', 'done', 'unknown'], `${where} has its row`).toContain(effect?.state)
    expect(this.modeOn(channel), `${where} while it is on`).toBe('on')
    expect(row!.at, `${where} is for a comment newer than the switch`).toBeGreaterThanOrEqual(this.sinceOn(channel))
    expect(post.isStopped, `${where} after its stop`).toBe(false)
    expect(comment.person, `${where} to ourselves`).toBeDefined()
    if (!this.isUnderWay(effect!)) this.checkHeeded(effect!)
    this.checkGiven(done, { post, channel, row: row!, where })
    this.checkTime(done, { post, channel, row: row!, where })
  }

  /** Returns whether the attempt was made before the last look: its call may be under way, too late for changes. */
  private isUnderWay({ effect, comment_id, attempted }: EffectRow): boolean {
    const before = this.before.effects.get(at(effect, comment_id))
    return before !== undefined && ['attempting', 'unknown'].includes(before.state) && before.attempted === attempted
  }

  /** Fails if the service knew before the attempt that it should not act. */
  private checkHeeded({ effect, comment_id }: EffectRow): void {
    const comment = this.sandbox.comments.require(comment_id)
    const post = this.postOf(comment)
    const where = `${effect} of ${comment_id}`
    expect(this.before.blocked.has(post.channelId), `${where} after a block`).toBe(false)
    expect(this.isOptedOut(post, comment), `${where} to a person who opted out`).toBe(false)
    expect(this.isAnswered(comment), `${where} after a human`).not.toBe(true)
  }

  private checkGiven({ kind, commentId, text }: Done, { post, channel, row, where }: Seen): void {
    const comment = this.sandbox.comments.require(commentId)
    const group = post.superpower.conditionGroups![groupFor(post.superpower, comment.text)!]!
    expect(kindsOf(group), `${where} follows the rule`).toContain(kind)
    expect(shareOf(group, kind) * (group.probability ?? 1), `the share of ${where}`).toBeGreaterThan(0)
    expect(row.at, `${where} before it expired`).toBeLessThan(expiresAt(post.superpower))
    if (kind === 'like') return
    const { name, username } = comment.person!
    const head = kind === 'private_reply' && channel.notice !== null ? `${channel.notice}\n\n` : ''
    const texts = textsOf(group, kind).map(
      (each) => head + addressed(each, post.type === 'INSTAGRAM_ACCOUNT' ? `@${username}` : name),
    )
    expect(texts, where).toContain(text)
    if (kind !== 'public_reply') return
    expect(post.type === 'INSTAGRAM_ACCOUNT' && comment.parentId !== undefined, `${where} is possible`).toBe(false)
    const hasPrivate = this.done.some((each) => each.kind === 'private_reply' && each.commentId === commentId)
    if (textsOf(group, 'private_reply').length > 0) expect(hasPrivate, `${where} and its private reply`).toBe(true)
  }

  private checkTime({ kind, at: madeAt }: Done, { post, channel, row, where }: Seen): void {
    const group = post.superpower.conditionGroups![row.group_place!]!
    const due = row.at + delayOf(group, kind)
    expect(madeAt, `the delay of ${where}`).toBeGreaterThanOrEqual(due)
    expect(madeAt - row.at, `the window of ${where}`).toBeLessThanOrEqual(7 * DAY_MS - HOUR_MS + 600_000)
    if (madeAt - due <= HOUR_MS + 600_000 || kind === 'public_reply') return
    // An effect delayed by a limit has a recent call of its kind.
    const queueMs = HOUR_MS + 600_000 + (kind === 'private_reply' ? HOUR_MS / channel.perHour : 0)
    const isQueued = this.posted.some(
      (each) => each.kind === kind && each.pageId === post.pageId && each.at < madeAt && each.at >= madeAt - queueMs,
    )
    expect(isQueued, `${where}, due ${new Date(due).toISOString()}, is not part of a late burst`).toBe(true)
  }

  // The end.

  /** Fails unless everything has ended, and the ledger matches the platform. */
  async checkEnd(): Promise<void> {
    const { comments, effects } = this.before
    const known = await listValues<string>(
      this.database,
      'select coalesce(commented_id, external_id) from automation_posts where organization_id = $1',
      [this.organizationId],
    )
    for (const row of effects.values()) this.checkEnded(row)
    for (const post of this.posts) this.checkOnePrivateReply(post)
    for (const channel of this.channels) this.checkTurns(channel)
    for (const post of this.posts) this.checkNoneForgotten(post, known.includes(post.objectId))
    for (const post of this.posts) this.checkPeople(post, [...comments.values()])
    for (const channel of this.channels) this.checkPace(channel)
    this.checkCalls()
  }

  private checkEnded({ effect, comment_id, state, reason }: EffectRow): void {
    const where = `${effect} of ${comment_id}: ${state} ${reason}`
    const count = this.done.filter(({ kind, commentId }) => kind === effect && commentId === comment_id).length
    const posted = this.posted.filter(({ kind, commentId }) => kind === effect && commentId === comment_id)
    if (state === 'done') return void expect([count, reason], where).toEqual([1, null])
    expect(reason, where).not.toBeNull()
    if (state === 'unknown') return void expect(reason, where).toBe('answer_lost')
    expect(['refused', 'skipped'], where).toContain(state)
    expect(count, where).toBe(0)
    if (state === 'skipped')
      expect(
        posted.filter(({ reply }) => reply !== 'wait'),
        where,
      ).toEqual([])
  }

  /** A person gets one private reply on a post unless a time limit allows another; the others state the reason. */
  private checkOnePrivateReply({ objectId, superpower }: WatchedPost): void {
    const people = new Map<string, number>()
    for (const { effect, comment_id, state, reason } of this.before.effects.values()) {
      const comment = this.sandbox.comments.require(comment_id)
      if (effect !== 'private_reply' || comment.objectId !== objectId) continue
      const group = superpower.conditionGroups![this.before.comments.get(comment_id)!.group_place!]!
      const { id } = comment.person!
      if (hasTimeLimit(superpower, group)) {
        expect(reason, `${comment_id}: a time limit says when another may follow`).not.toBe('person_answered')
      } else if (state === 'done' || state === 'unknown') {
        people.set(id, (people.get(id) ?? 0) + 1)
      }
      const others = this.made.filter((other) => other !== comment_id && this.isOf(other, objectId, id))
      if (reason === 'person_answered') expect(others.length, `${comment_id} comes after another`).toBeGreaterThan(0)
    }
    for (const [id, count] of people) expect(count, `private replies to ${id} on ${objectId}`).toBeLessThanOrEqual(1)
  }

  private isOf(commentId: string, objectId: string, personId: string): boolean {
    const comment = this.sandbox.comments.require(commentId)
    return comment.objectId === objectId && comment.person?.id === personId
  }

  /** Fails if a person was answered twice on a post while another had been waiting since before the first answer. */
  private checkTurns({ channelId }: WatchedChannel): void {
    for (const { objectId } of this.posts.filter((post) => post.channelId === channelId)) {
      for (const kind of KINDS) {
        const made = this.done
          .filter((each) => each.kind === kind && !each.isStalled)
          .map((each) => ({ ...each, comment: this.sandbox.comments.require(each.commentId) }))
          .filter(({ comment }) => comment.objectId === objectId)
        this.checkTurnsAmong(made, kind)
      }
    }
  }

  private checkTurnsAmong(made: readonly (Done & { comment: SandboxComment })[], kind: Kind): void {
    for (const [index, last] of made.entries()) {
      const row = this.before.effects.get(at(kind, last.commentId))
      const decided = this.before.comments.get(last.commentId)?.decided ?? Infinity
      // It could have been made from that time: it was planned and due, and waited for nothing else.
      if (row === undefined || kind === 'public_reply' || this.wasPutOff.has(at(kind, last.commentId))) continue
      const since = Math.max(row.due, decided)
      const times = new Map<string, number>()
      for (const { at: madeAt, comment } of made.slice(0, index)) {
        const { id } = comment.person!
        if (madeAt > since && id !== last.comment.person!.id) times.set(id, (times.get(id) ?? 0) + 1)
      }
      // One turn may be due before, and one at the same moment.
      for (const [id, count] of times)
        expect(count, `${kind} to ${id} while ${last.commentId} waits`).toBeLessThanOrEqual(2)
    }
  }

  /** Fails if a call for an effect was repeated although the platform did not allow it. */
  private checkCalls(): void {
    const last = new Map<string, Posted>()
    for (const call of this.posted) {
      const key = at(call.kind, call.commentId)
      const before = last.get(key)
      if (before !== undefined) expect(before.reply, `${key} is called again after ${before.fault}`).toBe('wait')
      last.set(key, call)
    }
  }

  /** Until a video has been read once, the id for its comments is unknown. */
  private checkNoneForgotten(post: WatchedPost, isKnown: boolean): void {
    for (const comment of this.sandbox.comments.of(post.objectId)) {
      // Instagram does not list the replies of a deleted comment.
      const isListed = comment.parentId === undefined || this.sandbox.comments.find(comment.parentId) !== undefined
      const isRead = !post.isStopped && !post.isOffAtItsEnd && comment.at < readUntil(post) && isListed
      const isSeen = this.before.comments.has(comment.id)
      if (isRead || (isKnown && this.delivered.has(comment.id))) {
        expect(
          isSeen,
          `${comment.id}, ${JSON.stringify(comment.text)}, of ${new Date(comment.at).toISOString()} has a row`,
        ).toBe(true)
      }
    }
  }

  /** Limits for people and times apply among all matches, and separately among dry runs, which do not use them up. */
  private checkPeople(post: WatchedPost, rows: readonly CommentRow[]): void {
    const own = rows.filter(({ comment_id }) => this.sandbox.comments.require(comment_id).objectId === post.objectId)
    const matched = own.filter(({ reason }) => reason === 'matched')
    const { conditionGroups = [], globalUsersLimit = 0, globalTimeLimit = 0 } = post.superpower
    this.checkLimit(matched, globalUsersLimit, globalTimeLimit, 'everyone')
    for (const [place, { usersLimit = 0, timeLimit = 0 }] of conditionGroups.entries()) {
      const ofGroup = matched.filter(({ group_place }) => group_place === place)
      this.checkLimit(ofGroup, usersLimit, timeLimit, `group ${place}`)
      for (const { reason, comment_id, group_place, person_id } of own) {
        if (group_place !== place) continue
        const isFull =
          (usersLimit > 0 && peopleOf(ofGroup).size >= usersLimit) ||
          (globalUsersLimit > 0 && peopleOf(matched).size >= globalUsersLimit)
        if (reason === 'users_limit') expect(isFull, `${comment_id} hit a limit for people`).toBe(true)
        const others = (globalTimeLimit > 0 ? matched : ofGroup).filter((row) => row.person_id === person_id)
        if (reason === 'time_limit') expect(others.length, `${comment_id} hit a limit for times`).toBeGreaterThan(0)
      }
    }
  }

  private checkLimit(matched: readonly CommentRow[], people: number, hours: number, where: string): void {
    for (const isDry of [false, true]) {
      const own = matched.filter(({ comment_id }) => this.dry.has(comment_id) === isDry)
      checkLimit(own, people, hours, isDry ? `${where}, dry` : where)
    }
  }

  private checkPace({ channelId, perHour }: WatchedChannel): void {
    const pageId = this.posts.find((post) => post.channelId === channelId)?.pageId
    const limits = [
      ['private_reply', perHour, HOUR_MS],
      ['public_reply', 60, 60_000],
      ['like', 20, 5_000],
    ] as const
    for (const [kind, max, periodMs] of limits) {
      const times = this.done
        .filter((each) => each.kind === kind && !each.isStalled)
        .filter(({ commentId }) => this.sandbox.comments.require(commentId).pageId === pageId)
        .map((each) => each.at)
        .toSorted((a, b) => a - b)
      for (const [index, first] of times.entries()) {
        const within = times.slice(index).filter((each) => each < first + periodMs).length
        expect(within, `${kind} of a channel within ${periodMs} ms`).toBeLessThanOrEqual(max)
      }
    }
  }
}

const readUntil = ({ publishedAt, superpower }: WatchedPost): number =>
  Math.min(publishedAt + 7 * DAY_MS, expiresAt(superpower))

interface Seen {
  post: WatchedPost
  channel: WatchedChannel
  row: CommentRow
  where: string
}

const peopleOf = (rows: readonly CommentRow[]): Set<string | null> => new Set(rows.map(({ person_id }) => person_id))

function checkLimit(matched: readonly CommentRow[], people: number, hours: number, where: string): void {
  if (people > 0) expect(peopleOf(matched).size, `people of ${where}`).toBeLessThanOrEqual(people)
  if (hours === 0) return
  for (const [index, row] of matched.entries()) {
    for (const other of matched.slice(index + 1)) {
      if (row.person_id !== other.person_id) continue
      expect(Math.abs(row.at - other.at), `times of ${where}`).toBeGreaterThanOrEqual(hours * HOUR_MS)
    }
  }
}
