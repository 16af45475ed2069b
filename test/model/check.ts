import { setTimeout as wait } from 'node:timers/promises'
import type { SandboxPublication } from '../../packages/sandbox/src/publications.js'
import type { Answer } from './calls.js'
import { isApproved, type PostNote, toContent } from './notebook.js'
import { ORGANIZATIONS, type OrganizationName } from './stage.js'
import { pageIdOf, REFUSAL, setActive, type World } from './world.js'

/** The life of a post: each action with the status changes that it may make. */
const LEGAL: Record<string, readonly string[]> = {
  created: ['>DRAFT', '>WAITING_FOR_APPROVAL'],
  updated: [
    ...['DRAFT>DRAFT', 'WAITING_FOR_APPROVAL>WAITING_FOR_APPROVAL', 'REJECTED>REJECTED', 'REJECTED>DRAFT'],
    ...['SCHEDULED>SCHEDULED', 'SCHEDULED>WAITING_FOR_APPROVAL'],
  ],
  submitted: ['DRAFT>WAITING_FOR_APPROVAL', 'REJECTED>WAITING_FOR_APPROVAL'],
  approved: ['WAITING_FOR_APPROVAL>SCHEDULED'],
  rejected: ['WAITING_FOR_APPROVAL>REJECTED'],
  reverted: ['SCHEDULED>DRAFT'],
  retried: ['FAILED>SCHEDULED'],
  claimed: ['SCHEDULED>PUBLISHING', 'PUBLISHING>PUBLISHING'],
  published: ['PUBLISHING>PUBLISHED'],
  failed: ['PUBLISHING>FAILED'],
  deleted: ['DRAFT>', 'WAITING_FOR_APPROVAL>', 'REJECTED>', 'SCHEDULED>', 'FAILED>'],
}
/** A post may fail only because the model refuses it, or because a kill or a lost response leaves a doubt. */
const REASONS = [REFUSAL, 'It may have been published: ', 'The platform accepted it as ']
const SETTLE_SECONDS = 170
/** A call that is running when an organization is deactivated takes at most this long, by the machine's time. */
const UNDER_WAY_MS = 1_200

interface PostBody {
  status: string
  media?: string
  mediaType?: string
  mediumsData: Record<string, { caption?: string; failedToPublish: boolean }>
}

interface Entry {
  version: number
  at: string
  actor: string
  action: string
  fromStatus?: string
  toStatus?: string
  detail?: { channels?: Record<string, { state: string; error?: string }> }
}

/** Ends all disturbances, waits until every post has ended, and checks each. */
export async function checkAll(world: World): Promise<void> {
  await world.switching
  await world.nodes.settled()
  world.sandbox.faults.clear()
  for (const { name } of ORGANIZATIONS) await setActive(world.calls, name, true)
  const isSettled = await settle(world)
  const violate = (post: PostNote | undefined, what: string): void =>
    void world.violations.push({ sequence: post?.sequence ?? -1, steps: Number.MAX_SAFE_INTEGER, what })
  const items = itemsByPost(world, violate)
  for (const post of world.posts) await checkPost(world, post, items.get(post) ?? [], isSettled, violate)
  for (const { name } of ORGANIZATIONS) await checkList(world, name, violate)
}

type Violate = (post: PostNote | undefined, what: string) => void
interface Item {
  channelId: string
  item: SandboxPublication
}

async function read(world: World, name: OrganizationName, caller: 'key' | 'operator', path: string): Promise<Answer> {
  for (let node = 0; ; node++) {
    const answer = await world.calls.call(node, caller, name, 'GET', path)
    if (answer !== 'lost') return answer
    if (node > 40) throw new Error(`${path} does not answer`)
    await wait(250)
  }
}

/** False if a post is still running after a time that exceeds every wait of the service. */
async function settle(world: World): Promise<boolean> {
  const end = Date.now() + world.clock.toReal(SETTLE_SECONDS * 10_000)
  for (;;) {
    let left = 0
    for (const { name } of ORGANIZATIONS) {
      for (const status of ['SCHEDULED', 'PUBLISHING']) {
        left += (await read(world, name, 'key', `/scheduled-posts?status=${status}`)).body.length
      }
    }
    if (left === 0) return true
    if (Date.now() > end) return false
    await wait(500)
  }
}

/** Groups the publications on the platform by the post whose approved text they have. */
function itemsByPost({ sandbox, posts, channels }: World, violate: Violate): Map<PostNote, Item[]> {
  const found = new Map<PostNote, Item[]>()
  for (const item of sandbox.published) {
    const channelId = channels.find((channel) => pageIdOf(channel) === item.pageId)!.channelId
    const post = posts.find(({ approvals }) =>
      approvals.some(({ content }) => content.captions[channelId] === item.text),
    )
    if (post === undefined) violate(undefined, `"${item.text}" is published on ${channelId} and was approved by nobody`)
    else found.set(post, [...(found.get(post) ?? []), { channelId, item }])
  }
  return found
}

async function checkPost(
  world: World,
  post: PostNote,
  items: Item[],
  isSettled: boolean,
  violate: Violate,
): Promise<void> {
  for (const { channelId, item } of items) {
    if (items.filter((other) => other.channelId === channelId).length > 1) {
      violate(post, `${post.id} is published more than once on ${channelId}`)
    }
    if (!isApproved(post, channelId, item))
      violate(post, `"${item.text}" of ${post.id} was published without an approval`)
    if (isOfInactive(world, post, item))
      violate(post, `"${item.text}" was published while its organization was inactive`)
  }
  const path = `/scheduled-posts/${post.id}`
  const history: Entry[] = (await read(world, post.organization, 'operator', `${path}/history`)).body.items
  for (const what of findHistoryProblems(post, history)) violate(post, what)
  const answer = await read(world, post.organization, 'key', path)
  if (post.deleted === 'yes' || (post.deleted === 'maybe' && answer.status === 404)) {
    if (answer.status !== 404) violate(post, `${post.id} was deleted but exists`)
    return
  }
  if (answer.status !== 200) return violate(post, `${post.id} is lost: ${answer.status}`)
  const { status } = answer.body
  if (!isSettled && ['SCHEDULED', 'PUBLISHING'].includes(status)) violate(post, `${post.id} stays ${status}`)
  if (history.at(-1)?.toStatus !== status) violate(post, `${post.id} is ${status}, but its history says otherwise`)
  for (const what of findOutcomeProblems(post, answer.body, history, items)) violate(post, what)
}

/** Compares a post with its publications: both must agree. */
export function findOutcomeProblems(
  { id }: PostNote,
  body: PostBody,
  history: readonly Entry[],
  items: readonly Item[],
): string[] {
  const problems: string[] = []
  const content = toContent(body)
  const attempts = history.findLast(({ detail, action }) => action === 'failed' && detail?.channels)?.detail?.channels
  for (const { channelId, item } of items) {
    const isSame = content.media === item.mediaUrl && content.mediaType === item.mediaType
    if (!isSame || content.captions[channelId] !== item.text) {
      problems.push(`${id} has another text on ${channelId} than the published "${item.text}"`)
    }
  }
  if (body.status !== 'PUBLISHED' && body.status !== 'FAILED') return problems
  for (const [channelId, { failedToPublish: hasFailed }] of Object.entries(body.mediumsData)) {
    const isOut = items.some((item) => item.channelId === channelId)
    if (!hasFailed && !isOut) problems.push(`${id} is ${body.status} but not published on ${channelId}`)
    if (!hasFailed) continue
    if (body.status === 'PUBLISHED') problems.push(`${id} is PUBLISHED but has failed on ${channelId}`)
    const reason = attempts?.[channelId]?.error ?? ''
    if (!REASONS.some((known) => reason.startsWith(known))) problems.push(`${id} has failed without a cause: ${reason}`)
    if (isOut && reason === REFUSAL) problems.push(`${id} has failed on ${channelId}, where it is published`)
  }
  return problems
}

export function findHistoryProblems(post: PostNote, history: readonly Entry[]): string[] {
  const problems: string[] = []
  for (const [index, entry] of history.entries()) {
    const before = history[index - 1]
    const way = `${entry.fromStatus ?? ''}>${entry.toStatus ?? ''}`
    const where = `the history of ${post.id} at version ${entry.version}`
    if (entry.version !== index + 1) problems.push(`${where} leaps or is out of order`)
    if (before !== undefined && before.toStatus !== entry.fromStatus) problems.push(`${where} does not follow`)
    if (!LEGAL[entry.action]?.includes(way)) problems.push(`${where}: ${entry.action} from ${way}`)
    if (before !== undefined && Date.parse(entry.at) < Date.parse(before.at)) problems.push(`${where} runs backwards`)
  }
  for (const { version, actor, action } of post.changes) {
    const entry = history.find((one) => one.version === version)
    if (entry?.actor !== actor || entry.action !== action) {
      problems.push(
        `${actor} ${action} ${post.id} as version ${version}, but the history says ${entry?.actor} ${entry?.action}`,
      )
    }
  }
  return problems
}

/**
 * True for a publication while the organization was inactive. Exceptions are a call that was running at the deactivation,
 * and one at a time when a node was killed or paused.
 */
function isOfInactive(
  { inactive, nodes, calls, clock }: World,
  post: PostNote,
  { publishedAt }: SandboxPublication,
): boolean {
  const { id } = calls.organization(post.organization)
  const slack = (UNDER_WAY_MS * 1_000) / clock.toReal(1_000)
  return inactive.some(({ organizationId, from, to }) => {
    if (organizationId !== id || publishedAt < from + slack || publishedAt >= to) return false
    return !nodes.disturbed.some((one) => clock.at(one.to) > from - slack && clock.at(one.from) < to)
  })
}

async function checkList(world: World, name: OrganizationName, violate: Violate): Promise<void> {
  const ids = new Set(world.posts.map(({ id }) => id))
  for (let offset = 0; ; ) {
    const { body } = await read(world, name, 'key', `/scheduled-posts?limit=200&offset=${offset}`)
    for (const { id } of body)
      if (!ids.has(id)) violate(undefined, `${id} exists, but nobody got a response to its creation`)
    if (body.length === 0) return
    offset += body.length
  }
}
