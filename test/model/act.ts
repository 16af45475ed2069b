import { setTimeout as wait } from 'node:timers/promises'
import { POST_STATUSES, type PostStatus } from '../../src/interface/post-status.js'
import type { Answer, CallOptions, Lost, Method } from './calls.js'
import { newNote, type PostNote, toContent, writersOf } from './notebook.js'
import type { Sequence, Step } from './plan.js'
import type { ChannelPlan } from './stage.js'
import { count, refuseOnce, type World } from './world.js'

/** A sequence that is being played. */
export interface Play {
  world: World
  sequence: Sequence
  /** The channels of its organization and lane. */
  channels: ChannelPlan[]
  /** The posts by their numbers in the plan. */
  posts: (PostNote | undefined)[]
  /** The number of steps that have begun. */
  begun: number
}

type Deed =
  | 'caption'
  | 'superpower'
  | 'media'
  | 'time'
  | 'note'
  | 'add'
  | 'remove'
  | 'submit'
  | 'draft'
  | 'approve'
  | 'reject'
  | 'revert'
  | 'retry'
  | 'delete'
  | 'nothing'

/** The weights of actions by the status of the post: most lead onward, and some are refused. */
const DEEDS: Record<PostStatus, Partial<Record<Deed, number>>> = {
  DRAFT: {
    submit: 6,
    caption: 3,
    media: 1,
    time: 1,
    note: 1,
    add: 1,
    remove: 2,
    superpower: 1,
    delete: 0.2,
    approve: 0.3,
  },
  WAITING_FOR_APPROVAL: { approve: 9, caption: 2, superpower: 1, media: 1, time: 1, note: 1, reject: 1, remove: 0.5 },
  REJECTED: { submit: 3, draft: 2, caption: 2, time: 1 },
  SCHEDULED: { nothing: 5, caption: 0.7, media: 0.3, time: 0.7, note: 0.5, revert: 1.5, delete: 0.2 },
  PUBLISHING: { nothing: 5, caption: 0.3, revert: 0.3 },
  PUBLISHED: { nothing: 3, caption: 0.3, delete: 0.1 },
  FAILED: { retry: 6, caption: 0.3, delete: 0.3 },
}

/** This is longer than a post takes to fail at once. */
const STORY_WAIT_MS = 12_000

let lastText = 0
const newText = (what: string, { index }: Sequence): string => `${what} ${index}.${++lastText}`
/** Returns a time that leaves room for a few responses, so that stories continue on a slow machine. */
function soon({ clock, calls }: World, { choice }: Step): string {
  const answersMs = (10 * calls.averageMs) / clock.toReal(1)
  return new Date(clock.now() + 15_000 + answersMs + Math.floor(choice * 40_000)).toISOString()
}

/** Performs the step and records what is then known. */
export async function act(play: Play, step: Step): Promise<void> {
  const post = play.posts[step.post]
  if (post === undefined || post.deleted !== 'no') return create(play, step)
  const found = await ask(play, step, post, 'GET', '')
  if (found === 'lost' || found.status === 402) return
  if (found.status !== 200) return broken(play, `a created post does not exist: ${found.status} ${found.code}`)
  const status = found.body.status as PostStatus
  if (!POST_STATUSES.includes(status)) return broken(play, `the status ${status} is unknown`)
  const deeds = play.channels.some(({ channelId }) => isOut(play, post, channelId)) ? DEEDS_OF_OUT[status] : undefined
  const wish = choose(deeds ?? DEEDS[status], step.roll)
  const isLate = Date.parse(found.body.scheduledFor) < play.world.clock.now() + 10_000
  const deed = wish === 'approve' && isLate ? 'time' : wish
  count(play.world, deed)
  await DO[deed](play, step, post, found)
}

/** The same weights for a post that is already published on a channel: they include changes that must be refused. */
const DEEDS_OF_OUT: Partial<Record<PostStatus, Partial<Record<Deed, number>>>> = {
  DRAFT: { submit: 3, caption: 3, remove: 3, media: 1, superpower: 1, add: 0.5 },
  WAITING_FOR_APPROVAL: { approve: 5, caption: 2, remove: 1, media: 0.5, superpower: 0.5 },
  SCHEDULED: { nothing: 2, revert: 3, caption: 2, media: 0.5, remove: 1 },
}

/**
 * Plays an opening that is rare by chance: the post is published on some channels, has failed on one, and is scheduled
 * again.
 */
export async function openPartlyOut(play: Play): Promise<void> {
  const { world, channels, sequence } = play
  // With these numbers the post waits for approval, with an image, on all channels.
  const step: Step = { ...sequence.steps[0]!, post: 0, roll: 0.9, choice: 0.65 }
  refuseOnce(world, channels[1]!)
  await create(play, step)
  const post = play.posts[0]
  for (const deed of ['approve', 'nothing', 'retry'] as const) {
    const found = post && (await ask(play, step, post, 'GET', ''))
    if (found === undefined || found === 'lost' || found.status !== 200) return
    await DO[deed](play, deed === 'retry' ? { ...step, actor: 0 } : step, post!, found)
  }
}

function choose(deeds: Partial<Record<Deed, number>>, roll: number): Deed {
  const entries = Object.entries(deeds) as [Deed, number][]
  let left = roll * entries.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [deed, weight] of entries) {
    left -= weight
    if (left < 0) return deed
  }
  return 'nothing'
}

export const broken = ({ world, sequence, begun }: Play, what: string): void =>
  void world.violations.push({ sequence: sequence.index, steps: begun, what })

/** Makes a call about the post. The response must be at least as new as the last version seen before the call. */
async function ask(
  { world, sequence, ...play }: Play,
  { actor, node }: Step,
  post: PostNote,
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<Answer | Lost> {
  const known = post.version
  const { organization } = sequence
  const answer = await world.calls.call(
    node,
    actor,
    organization,
    method,
    `/scheduled-posts/${post.id}${path}`,
    options,
  )
  if (answer === 'lost' || answer.version === 0) return answer
  if (answer.version < known) {
    broken({ ...play, world, sequence }, `version ${answer.version} of ${post.id} was read after version ${known}`)
  }
  post.version = Math.max(post.version, answer.version)
  return answer
}

/** Repeats the creation with its key until it is answered, on any node. */
async function create(play: Play, step: Step): Promise<void> {
  const { world, sequence, channels } = play
  const { actor, choice } = step
  const some = channels.filter((_, index) => index === Math.floor(choice * 3) || choice * 10 - index > 4)
  const isVideo = choice > 0.7
  const body = {
    status: step.roll > 0.3 ? 'WAITING_FOR_APPROVAL' : 'DRAFT',
    scheduledFor: soon(world, step),
    media: `https://cdn.example.com/${newText('m', sequence).replace(' ', '-')}.${isVideo ? 'mp4' : 'jpg'}`,
    mediaType: isVideo ? 'VIDEO' : 'IMAGE',
    channels: Object.fromEntries(some.map(({ channelId }) => [channelId, { caption: newText('Text', sequence) }])),
  }
  const headers = { 'idempotency-key': newText('create', sequence).replace(' ', '-') }
  count(world, 'create')
  for (let tries = 0; tries < 120; tries++) {
    const { calls } = world
    const { organization } = sequence
    const answer = await calls.call(step.node + tries, actor, organization, 'POST', '/scheduled-posts', {
      body,
      headers,
    })
    if (answer === 'lost') {
      await wait(250)
      continue
    }
    // Its time may have passed while the first answers were lost.
    if (answer.status === 402 || answer.code === 'scheduled_for_past' || answer.code === 'publish_check_failed') return
    if (answer.status !== 201) return broken(play, `a creation answers ${answer.status} ${answer.code}`)
    const creator = calls.actorText(actor, organization)
    const note = newNote({ sequence: sequence.index, id: answer.body.id, organization, creator })
    world.posts.push(note)
    play.posts[step.post] = note
    return
  }
}

interface Edit {
  body: object
  parts: string[]
  /** True if it ends an approval. */
  isContent: boolean
  headers?: Record<string, string>
}

/** Sends a change, records its result, and returns the response. */
async function change(
  play: Play,
  step: Step,
  post: PostNote,
  action: string,
  [method, path]: [Method, string],
  { body, parts, isContent, headers }: Edit,
): Promise<Answer | Lost> {
  const { world, sequence } = play
  const from = world.clock.now()
  const isKey = step.actor === 'key'
  const answer = await ask(play, step, post, method, path, { body, ...(headers === undefined ? {} : { headers }) })
  if (answer === 'lost') {
    for (const part of isKey ? [] : parts) post.unsureParts.add(part)
    return answer
  }
  if (answer.status !== 200) return answer
  const actor = world.calls.actorText(step.actor, sequence.organization)
  post.changes.push({ version: answer.version, actor, action, parts: isKey ? [] : parts })
  if (isContent) post.ends.push({ from, to: world.clock.now() })
  return answer
}

const PATCH: [Method, string] = ['PATCH', '']
const pick = <T>(values: readonly T[], { choice }: Step): T | undefined => values[Math.floor(choice * values.length)]
const partsOf = (channelId: string): string[] => [`${channelId}.caption`, `${channelId}.superpower`]
const isOut = ({ world }: Play, post: PostNote, channelId: string): boolean =>
  world.sandbox.published.some(
    ({ pageId, text }) =>
      channelId.endsWith(pageId) && post.approvals.some(({ content }) => content.captions[channelId] === text),
  )

type Do = (play: Play, step: Step, post: PostNote, found: Answer) => Promise<unknown>
const edit =
  (toEdit: (play: Play, step: Step, found: Answer) => Edit | undefined): Do =>
  async (play, step, post, found) => {
    const made = toEdit(play, step, found)
    return made && (await change(play, step, post, 'updated', PATCH, made))
  }
const ofChannel = (field: 'caption' | 'superpower', value: (play: Play) => unknown): Do =>
  edit((play, step, { body }) => {
    const channelId = pick(Object.keys(body.mediumsData), step)
    if (channelId === undefined) return undefined
    const channels = { [channelId]: { [field]: value(play) } }
    return { body: { channels }, parts: [`${channelId}.${field}`], isContent: true }
  })
const move =
  (action: string, path: string, toBody: (play: Play, step: Step) => object | undefined, isContent: boolean): Do =>
  (play, step, post) =>
    change(play, step, post, action, ['POST', path], { body: toBody(play, step) ?? {}, parts: [], isContent })

const DO: Record<Deed, Do> = {
  nothing: waitForEnd,
  caption: ofChannel('caption', ({ sequence }) => newText('Text', sequence)),
  superpower: ofChannel('superpower', ({ sequence }) => ({
    hashtag: `#h${newText('', sequence).replace(/\W/g, 'x')}`,
  })),
  media: edit(({ sequence }, _, { body }) => ({
    body: { media: `https://cdn.example.com/${newText('m', sequence).replace(' ', '-')}${/\.\w+$/.exec(body.media)}` },
    ...{ parts: ['media'], isContent: true },
  })),
  time: edit(({ world }, step) => ({
    body: { scheduledFor: soon(world, step) },
    parts: ['scheduledFor'],
    isContent: false,
  })),
  note: edit(({ sequence }) => ({ body: { notes: newText('Note', sequence) }, parts: [], isContent: false })),
  // If-Match keeps the notes true: a post that has lost the channel, or already has it, would be changed in another way.
  add: edit(({ sequence, channels }, step, { body, etag }) => {
    const channel = pick(
      channels.filter(({ channelId }) => !(channelId in body.mediumsData)),
      step,
    )
    if (channel === undefined) return undefined
    const { channelId } = channel
    const added = { channels: { [channelId]: { caption: newText('Text', sequence) } } }
    return { body: added, parts: partsOf(channelId), isContent: true, headers: { 'if-match': etag! } }
  }),
  remove: edit((_, step, { body, etag }) => {
    const channelId = pick(Object.keys(body.mediumsData), step)
    if (channelId === undefined) return undefined
    const channels = { [channelId]: null }
    return { body: { channels }, parts: partsOf(channelId), isContent: true, headers: { 'if-match': etag! } }
  }),
  submit: async (play, step, post, found) => {
    // Its time may have passed in between.
    if (Date.parse(found.body.scheduledFor) < play.world.clock.now() + 5_000) await DO.time(play, step, post, found)
    await move('submitted', '/submit-for-approval', () => undefined, false)(play, step, post, found)
  },
  draft: edit(() => ({ body: { status: 'DRAFT' }, parts: [], isContent: false })),
  reject: move('rejected', '/reject', ({ sequence }) => ({ notes: newText('No', sequence) }), true),
  revert: move('reverted', '/revert', () => undefined, true),
  approve,
  retry,
  delete: remove,
}

/** After a refusal to a person who may not approve, usually asks others, so that stories continue. */
async function approve(play: Play, step: Step, post: PostNote, found: Answer): Promise<void> {
  const others = step.choice < 0.3 ? [] : play.world.calls.stage.people.map((_, person) => person)
  for (const actor of [step.actor, ...others]) {
    const code = await approveAs(play, { ...step, actor }, post, found)
    if (code !== 'own_post' && code !== 'approval_is_human') return
  }
}

/** Approves the version that was read. Only the notes decide who may. Returns the code of a refusal. */
async function approveAs(play: Play, step: Step, post: PostNote, found: Answer): Promise<string | undefined> {
  const { world, sequence } = play
  const from = world.clock.now()
  const headers = { 'if-match': found.etag! }
  const answer = await ask(play, step, post, 'POST', '/approve', { headers })
  const content = toContent(found.body)
  if (answer === 'lost') {
    post.approvals.push({ from, to: undefined, content })
    return undefined
  }
  const actor = world.calls.actorText(step.actor, sequence.organization)
  const { fourEyes } = world.calls.organization(sequence.organization)
  const { certain, possible } = writersOf(post, found.version)
  count(world, answer.status === 200 ? 'approved' : `refused approval: ${answer.code}`)
  if (answer.code === 'own_post' && !(fourEyes && possible.has(actor))) {
    broken(play, `${actor} may not approve version ${found.version} of ${post.id}, which others wrote`)
  }
  if (answer.status !== 200) return answer.code
  if (step.actor === 'key') broken(play, `a key approved ${post.id}`)
  if (fourEyes && certain.has(actor))
    broken(play, `${actor} approved their own text: version ${found.version} of ${post.id}`)
  if (answer.version !== found.version + 1)
    broken(play, `an approval of version ${found.version} made ${answer.version}`)
  post.approvals.push({ from, to: world.clock.now(), content })
  post.changes.push({ version: answer.version, actor, action: 'approved', parts: [] })
  return undefined
}

/** Retries like a person who has looked at the page: a post that was published despite its failure is not retried. */
async function retry(play: Play, step: Step, post: PostNote, found: Answer): Promise<void> {
  const entries = Object.entries<{ failedToPublish: boolean }>(found.body.mediumsData)
  if (step.actor === 'key' || entries.some(([id, entry]) => entry.failedToPublish && isOut(play, post, id))) return
  const body = { scheduledFor: soon(play.world, step) }
  await change(play, step, post, 'retried', ['POST', '/retry'], { body, parts: ['scheduledFor'], isContent: false })
}

/** Waits until the publisher has finished the post, or for a while. */
async function waitForEnd(play: Play, step: Step, post: PostNote, { body: { status } }: Answer): Promise<void> {
  const end = Date.now() + STORY_WAIT_MS
  let found = status
  while ((found === 'SCHEDULED' || found === 'PUBLISHING') && Date.now() < end) {
    await wait(300)
    const answer = await ask(play, step, post, 'GET', '')
    if (answer !== 'lost') found = answer.body.status
  }
}

async function remove(play: Play, step: Step, post: PostNote): Promise<void> {
  const from = play.world.clock.now()
  const answer = await ask(play, step, post, 'DELETE', '')
  if (answer === 'lost') post.deleted = 'maybe'
  else if (answer.status === 200) {
    post.deleted = 'yes'
    post.ends.push({ from, to: play.world.clock.now() })
  }
}
