import { type Command, Option } from 'commander'
import { NotFoundError, type PostChange, type ScheduledPost, type VersionedPost } from '../client/index.js'
import type { PostWait } from '../interface/generated/types.js'
import { addTo, confirm, readJsonObject, toInstant } from './input.js'
import { type Cli, CliError } from './io.js'
import { printObject } from './output.js'
import { POST_PLANS } from './post-plans.js'
import { group, print, row, type TableCall } from './table-command.js'

interface FieldOptions {
  media?: string
  mediaType?: string
  scheduledFor?: string
  notes?: string
  channel: string[]
  superpower: string[]
  status?: string
  data?: string
}

const TIME = 'ISO 8601 in UTC, or relative to now: +90s, +5m, +2h, +3d'
/** The fields whose options come from the table. Channels and superpowers have their own options. */
const FIELDS = 'media mediaType notes status altText aiGenerated'

/** Shows the post, and why it is waiting if it is due. */
async function show({ cli, client, ids }: TableCall): Promise<void> {
  const post: ScheduledPost = await client.call('getScheduledPost', ids)
  const isDue = post.status === 'SCHEDULED' || post.status === 'PUBLISHING'
  if (!isDue || Date.parse(post.scheduledFor ?? '') > cli.clock.now()) return printPost(cli, post)
  const { wait } = await client.call('getScheduledPostWait', ids).catch((error: unknown) => {
    // A server of an earlier version does not have this operation.
    if (error instanceof NotFoundError) return { wait: null }
    throw error
  })
  printPost(cli, wait === null ? post : { ...post, wait })
}

const refuseEmpty = ({ body, options }: TableCall, advice: string): void => {
  // `--data '{}'` asks for an empty draft.
  if (options.data === undefined && Object.keys(body).length === 0) throw new CliError(2, advice)
}

async function create(call: TableCall): Promise<void> {
  const advice =
    'Add what to post: --channel CHANNEL=CAPTION, --media URL and --scheduled-for TIME, or the whole body with --data.'
  refuseEmpty(call, advice)
  print({ show: printPost }, call, await call.send({ idempotencyKey: call.options.idempotencyKey as string }))
}

async function update(call: TableCall): Promise<void> {
  refuseEmpty(
    call,
    'Add what to change, for example --scheduled-for +1h. `greenroom help posts update` lists the options.',
  )
  printPost(call.cli, await call.send())
}

async function approve({ cli, client, ids, options, send }: TableCall): Promise<void> {
  const { yes = false, ifMatch } = options as { yes?: boolean; ifMatch?: string }
  printPost(
    cli,
    await send({ ifMatch: ifMatch ?? (await confirmApproval(cli, await client.call('getScheduledPost', ids), yes)) }),
  )
}

/** Shows the post to the person who decides. Returns the ETag of the version shown. */
async function confirmApproval(cli: Cli, post: VersionedPost, isSure: boolean): Promise<string> {
  if (!isSure) {
    printPost({ ...cli, stdout: cli.stderr, format: () => 'table' }, post)
    const answer = await confirm(cli, 'Approve this post?')
    if (answer === undefined) {
      throw new CliError(
        2,
        'You can only approve a version that you have read: add --yes, or --if-match with the ETag of the post.',
      )
    }
    if (!answer) throw new CliError(1, 'The post was not approved.')
  }
  if (post.etag === undefined) throw new CliError(1, 'The server sent no ETag, so there is no version to approve.')
  return post.etag
}

const addFields = (command: Command): Command =>
  command
    .option('--scheduled-for <time>', TIME)
    .option('--channel <channel=caption>', 'a channel and its caption; may be repeated', addTo, [])
    .option('--superpower <channel=json>', 'its superpower: JSON, @file, or - for stdin; may be repeated', addTo, [])
    .option('--data <json>', 'the whole body instead of its fields: JSON, @file, or - for stdin')

/** Adds the values of the posts' own options to the fields of the table. */
async function readFields({ cli, body, options }: TableCall): Promise<void> {
  const { data, channel, superpower, scheduledFor } = options as unknown as FieldOptions
  if (scheduledFor !== undefined) body.scheduledFor = toInstant(cli, scheduledFor)
  const channels: Record<string, Record<string, unknown>> = {}
  for (const each of channel) {
    const [id, caption] = splitPair(each, '--channel')
    channels[id] = { ...channels[id], caption }
  }
  for (const each of superpower) {
    const [id, json] = splitPair(each, '--superpower')
    channels[id] = { ...channels[id], superpower: await readJsonObject(cli, json, '--superpower') }
  }
  if (Object.keys(channels).length > 0) body.channels = channels
  if (data === undefined) return
  if (Object.keys(body).length > 0) throw new CliError(2, '--data is the whole body: omit the other fields.')
  Object.assign(body, await readJsonObject(cli, data, '--data'))
}

function splitPair(given: string, option: string): [channel: string, value: string] {
  const at = given.indexOf('=')
  if (at < 1) throw new CliError(2, `${option} must be CHANNEL=…, for example ${option} FB_PAGE_104512883716042=….`)
  return [given.slice(0, at), given.slice(at + 1)]
}

/** Prints one channel per line on a terminal. */
function printPost(cli: Cli, post: ScheduledPost & { wait?: PostWait }): void {
  if (cli.format() !== 'table') {
    printObject(cli, post)
    return
  }
  const { mediumsData, orgId, type, wait, ...fields } = post
  const channels = Object.entries(mediumsData).map(([id, { caption, superpower, failedToPublish }]) => {
    const marks = [failedToPublish ? 'failed to publish' : undefined, superpower?.hashtag].filter(Boolean)
    return [id, `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${caption ?? '-'}`]
  })
  printObject(cli, { ...fields, ...(wait && toWaitLines(wait)), ...Object.fromEntries(channels) })
}

function toWaitLines({ reason, text, nextAttemptAt, channels }: PostWait): Record<string, string> {
  const remarks = channels.flatMap(({ channelId, words }) => (words === undefined ? [] : [`${channelId}: ${words}`]))
  return {
    'waits for': `${reason}: ${text}`,
    ...(remarks.length > 0 && { remarks: remarks.join('; ') }),
    ...(nextAttemptAt && { 'next try': nextAttemptAt }),
  }
}

const toListRow = ({ id, status, scheduledFor, mediumsData }: ScheduledPost) => ({
  ...{ id, status, scheduledFor },
  channels: Object.keys(mediumsData).length,
  caption: Object.values(mediumsData)[0]?.caption,
})

const toHistoryRow = ({ at, actor, action, fromStatus, toStatus, detail }: PostChange) => ({
  ...{ at, actor, action, detail },
  status: fromStatus === toStatus ? toStatus : `${fromStatus ?? ''} → ${toStatus ?? ''}`.trim(),
})

export const POSTS = group('posts', 'scheduled posts, from draft to published', [
  row('list', 'listOrganizationScheduledPosts', {
    key: 'listScheduledPosts',
    sample: '--status SCHEDULED',
    columns: 'id status scheduledFor channels caption',
    dropFirst: 'channels',
    view: { toRow: toListRow },
    defaultLimit: 50,
  }),
  row('get', 'getScheduledPost', {
    key: true,
    description: 'show a post, and why it is waiting if it is late',
    run: show,
  }),
  row('create', 'createOrganizationScheduledPost', {
    key: 'createScheduledPost',
    description: 'create a post, as a draft unless --status is given',
    sample:
      "--scheduled-for +1h --media https://cdn.example/latte.jpg --channel FB_PAGE_104512883716042='Autumn latte is back'",
    fields: FIELDS,
    extend: (command) =>
      addFields(command).option(
        '--idempotency-key <key>',
        'make it safe to repeat: within 24 hours the same key returns the first result',
      ),
    fill: readFields,
    quiet: true,
    run: create,
  }),
  row('update', 'updateOrganizationScheduledPost', {
    key: 'updateScheduledPost',
    description: 'change the given fields of a post; channels that are not named stay unchanged',
    sample: '--scheduled-for +3d',
    fields: FIELDS,
    extend: addFields,
    fill: readFields,
    run: update,
  }),
  row('submit', 'submitScheduledPostForApproval', { key: true, show: printPost }),
  row('revert', 'revertScheduledPost', { key: true, show: printPost }),
  row('reject', 'rejectScheduledPost', { key: true, sample: "--notes 'Name the closing date.'", show: printPost }),
  row('delete', 'deleteScheduledPost', { key: true, warning: 'This deletes the post {post}.' }),
  row('approve', 'approveScheduledPost', {
    description: 'approve the version of a post that is shown, which is then published at its time',
    extend: (command) =>
      command
        .option('--yes', 'approve the post as it is now, without asking')
        .addOption(new Option('--if-match <etag>', 'approve only the version with this ETag').conflicts('yes')),
    run: approve,
  }),
  row('undo-decision', 'undoDecision', { show: printPost }),
  row('waiting', 'listWaitingForMe', { columns: 'id status scheduledFor text', noun: 'posts' }),
  row('last-review', 'getLastReview'),
  row('check-media', 'checkPostMedia'),
  row('retry', 'retryScheduledPost', { sample: '--scheduled-for +5m', show: printPost }),
  row('history', 'listScheduledPostHistory', {
    columns: 'at actor action status detail',
    noun: 'changes',
    view: { toRow: toHistoryRow },
  }),
  ...POST_PLANS,
])
