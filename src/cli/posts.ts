import { type Command, Option } from 'commander'
import { callApi, callOperator, path } from './http.js'
import { readJsonObject, toInstant } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { print, printJson, printList, printObject, type Row } from './output.js'

const STATUSES = ['DRAFT', 'WAITING_FOR_APPROVAL', 'REJECTED', 'SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'FAILED']

/** A post as the API answers it, as far as it is shown. */
interface Post extends Row {
  id: string
  status: string
  mediumsData: Record<string, { caption?: string; superpower?: { hashtag?: string }; failedToPublish: boolean }>
}

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

interface ListOptions {
  status?: string
  channel?: string
  limit?: string
  offset?: string
}

export function addPosts(program: Command, cli: Cli): void {
  const posts = program.command('posts').description('scheduled posts, from draft to published')

  posts
    .command('list')
    .description('list the posts, the soonest first')
    .addOption(new Option('--status <status>', 'only those').choices(STATUSES))
    .option('--channel <channel>', 'only those on this channel')
    .option('--limit <number>', 'so many at most: 50 unless said, 200 at most')
    .option('--offset <number>', 'skip so many')
    .addHelpText('after', example('greenroom posts list --status SCHEDULED'))
    .action(async ({ channel, ...others }: ListOptions) => {
      const given = Object.entries({ ...others, mediumId: channel }).filter(([, value]) => value !== undefined)
      const query = given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`
      const found = await callApi<Post[]>(cli, 'GET', `/scheduled-posts${query}`)
      if (cli.asJson()) printJson(cli, found)
      else printList(cli, found.map(toListRow), ['id', 'status', 'scheduledFor', 'channels', 'caption'], 'posts')
    })

  posts
    .command('get <post>')
    .description('show a post')
    .addHelpText('after', example('greenroom posts get post_9Xw2Kd'))
    .action(async (id: string) => printPost(cli, await callApi<Post>(cli, 'GET', path`/scheduled-posts/${id}`)))

  addFields(posts.command('create'))
    .description('write a post: a draft, unless --status says more')
    .addOption(new Option('--status <status>', 'how it begins').choices(['DRAFT', 'WAITING_FOR_APPROVAL']))
    .option('--idempotency-key <key>', 'make it once: a repeat within 24 hours answers the first result')
    .option('--quiet', 'print its id alone')
    .addHelpText(
      'after',
      example(
        "greenroom posts create --scheduled-for +1h --media https://cdn.example/latte.jpg --channel FB_PAGE_104512883716042='Autumn latte is back'",
      ),
    )
    .action(async ({ idempotencyKey, quiet, ...fields }: FieldOptions & { idempotencyKey?: string; quiet?: true }) => {
      const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const post = await callApi<Post>(cli, 'POST', '/scheduled-posts', {
        body: await readFields(cli, fields),
        headers,
      })
      if (quiet) print(cli, post.id)
      else printPost(cli, post)
    })

  addFields(posts.command('update <post>'))
    .description('change the given fields of a post; a channel that is not named stays as it is')
    .addOption(new Option('--status <status>', 'take a rejected post back').choices(['DRAFT']))
    .addHelpText('after', example('greenroom posts update post_9Xw2Kd --scheduled-for 2026-12-24T09:00:00Z'))
    .action(async (id: string, fields: FieldOptions) => {
      const body = await readFields(cli, fields)
      printPost(cli, await callApi<Post>(cli, 'PATCH', path`/scheduled-posts/${id}`, { body }))
    })

  const addStep = (verb: string, operation: string, description: string): void => {
    posts
      .command(`${verb} <post>`)
      .description(description)
      .addHelpText('after', example(`greenroom posts ${verb} post_9Xw2Kd`))
      .action(async (id: string) =>
        printPost(cli, await callApi<Post>(cli, 'POST', path`/scheduled-posts/${id}/${operation}`)),
      )
  }
  addStep('submit', 'submit-for-approval', 'hand a post in for approval')
  addStep('revert', 'revert', 'take a scheduled post back to draft')

  posts
    .command('reject <post>')
    .description('send a post back to its author')
    .requiredOption('--notes <text>', 'why')
    .addHelpText('after', example("greenroom posts reject post_9Xw2Kd --notes 'Name the closing date.'"))
    .action(async (id: string, { notes }: { notes: string }) =>
      printPost(cli, await callApi<Post>(cli, 'POST', path`/scheduled-posts/${id}/reject`, { body: { notes } })),
    )

  posts
    .command('delete <post>')
    .description('delete a post that is not published')
    .addHelpText('after', example('greenroom posts delete post_9Xw2Kd'))
    .action(async (id: string) => printObject(cli, await callApi(cli, 'DELETE', path`/scheduled-posts/${id}`)))

  posts
    .command('approve <organization> <post>')
    .description('as the operator: let a post out at its time')
    .addHelpText('after', example('greenroom posts approve org_5V3kPq post_9Xw2Kd'))
    .action(async (organization: string, id: string) =>
      printPost(
        cli,
        await callOperator<Post>(cli, 'POST', path`/organizations/${organization}/scheduled-posts/${id}/approve`),
      ),
    )

  posts
    .command('retry <organization> <post>')
    .description('as the operator: give a failed post a new time; channels it is published on are left alone')
    .requiredOption('--scheduled-for <time>', 'ISO 8601 in UTC, or from now on: +90s, +5m, +2h, +3d')
    .addHelpText('after', example('greenroom posts retry org_5V3kPq post_9Xw2Kd --scheduled-for +5m'))
    .action(async (organization: string, id: string, { scheduledFor }: { scheduledFor: string }) =>
      printPost(
        cli,
        await callOperator<Post>(cli, 'POST', path`/organizations/${organization}/scheduled-posts/${id}/retry`, {
          scheduledFor: toInstant(cli, scheduledFor),
        }),
      ),
    )

  posts
    .command('history <organization> <post>')
    .description('as the operator: every change of a post, by whom and why')
    .addHelpText('after', example('greenroom posts history org_5V3kPq post_9Xw2Kd'))
    .action(async (organization: string, id: string) => {
      const changes = path`/organizations/${organization}/scheduled-posts/${id}/history`
      const rows = await callOperator<Row[]>(cli, 'GET', changes)
      if (cli.asJson()) printJson(cli, rows)
      else printList(cli, rows.map(toHistoryRow), ['at', 'actor', 'action', 'status', 'detail'], 'changes')
    })
}

function addFields(command: Command): Command {
  const collect = (value: string, before: string[]): string[] => [...before, value]
  return command
    .option('--media <url>', 'the image or video')
    .addOption(new Option('--media-type <type>', 'what it is').choices(['IMAGE', 'VIDEO']))
    .option('--scheduled-for <time>', 'ISO 8601 in UTC, or from now on: +90s, +5m, +2h, +3d')
    .option('--notes <text>', 'for those who work on it')
    .option('--channel <channel=caption>', 'a channel and its caption; may be repeated', collect, [])
    .option('--superpower <channel=json>', 'its superpower: JSON, @file, or - for stdin; may be repeated', collect, [])
    .option('--data <json>', 'the whole body in place of the fields: JSON, @file, or - for stdin')
}

async function readFields(cli: Cli, options: FieldOptions): Promise<Record<string, unknown>> {
  const { data, channel, superpower, scheduledFor, ...plain } = options
  const body: Record<string, unknown> = { ...plain }
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
  if (data === undefined) return body
  if (Object.keys(body).length > 0) throw new CliError(2, '--data is the whole body: leave the other fields out.')
  return readJsonObject(cli, data, '--data')
}

function splitPair(given: string, option: string): [channel: string, value: string] {
  const at = given.indexOf('=')
  if (at < 1) throw new CliError(2, `${option} is CHANNEL=…, such as ${option} FB_PAGE_104512883716042=….`)
  return [given.slice(0, at), given.slice(at + 1)]
}

const toListRow = ({ id, status, scheduledFor, mediumsData }: Post): Row => ({
  id,
  status,
  scheduledFor,
  channels: Object.keys(mediumsData).length,
  caption: Object.values(mediumsData)[0]?.caption,
})

/** For a person each channel is a line. */
function printPost(cli: Cli, post: Post): void {
  if (cli.asJson()) {
    printJson(cli, post)
    return
  }
  const { mediumsData, orgId, type, ...fields } = post
  const channels = Object.entries(mediumsData).map(([id, { caption, superpower, failedToPublish }]) => {
    const marks = [failedToPublish ? 'failed to publish' : undefined, superpower?.hashtag].filter(Boolean)
    return [id, `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${caption ?? '-'}`]
  })
  printObject(cli, { ...fields, ...Object.fromEntries(channels) })
}

const toHistoryRow = ({ at, actor, action, fromStatus, toStatus, detail }: Row): Row => ({
  at,
  actor,
  action,
  status: fromStatus === toStatus ? toStatus : `${fromStatus ?? ''} → ${toStatus ?? ''}`.trim(),
  detail: detail === undefined || detail === null ? undefined : JSON.stringify(detail),
})
