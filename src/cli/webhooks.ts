import { type Command, Option } from 'commander'
import type { Webhook, WebhookEventType, WebhookPatch } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { definedOnly, toWholeNumber } from './input.js'
import type { Cli } from './io.js'
import { type ListView, note, printObject } from './output.js'

interface SettingsOptions {
  name?: string
  url?: string
  events?: string
  off?: true
  on?: true
}

const KEPT = 'Keep the secret now: it is not shown again.'
const ALL = 'all'
const WEBHOOKS: ListView<Webhook> = {
  columns: ['id', 'name', 'url', 'events', 'active'],
  spare: ['events', 'name'],
  noun: 'webhooks',
  toRow: ({ events, ...row }) => ({ ...row, events: events?.join(' ') ?? ALL }),
}
const DELIVERIES = {
  columns: ['id', 'webhookId', 'timestamp', 'type', 'status', 'attempts', 'lastStatus', 'lastError'],
  spare: ['webhookId'],
  noun: 'deliveries',
}

/** The service refuses an event that there is none of. */
const toEvents = (given: string): WebhookEventType[] =>
  given.split(',').map((name) => name.trim()) as WebhookEventType[]

export function addWebhooks(program: Command, cli: Cli): void {
  const { add, print, list, remove } = groupOf(program, cli, 'webhooks', 'where an organization is told of events')
  const webhooks = () => operator(cli).webhooks

  add(
    'add <organization> <url>',
    'add a webhook; its secret is shown only now',
    'org_5V3kPq https://example.com/hooks/greenroom',
    async (organization: string, url: string, { name, events }: SettingsOptions) => {
      const body = { ...definedOnly({ name, events: events === undefined ? undefined : toEvents(events) }), url }
      printObject(cli, await webhooks().create(organization, body))
      note(cli, KEPT)
    },
  )
    .option('--name <name>', 'for people: which program it is')
    .option('--events <list>', 'the events that it gets, separated by commas; all of them unless said')
  list('list <organization>', 'list the webhooks', 'org_5V3kPq', WEBHOOKS, (organization: string) =>
    webhooks().list(organization),
  )
  print(
    'update <organization> <webhook>',
    'change its name, address or events, or switch it off or on',
    'org_5V3kPq webhook_3Kd8Wq --events post.failed,token.refused',
    (organization: string, webhook: string, { name, url, events: given, on, off }: SettingsOptions) => {
      const events = given === undefined ? undefined : given === ALL ? null : toEvents(given)
      const body: WebhookPatch = definedOnly({ name, url, events, active: on ?? (off ? false : undefined) })
      return webhooks().update(organization, webhook, body)
    },
  )
    .option('--name <name>', 'for people')
    .option('--url <url>', 'its address')
    .option('--events <list>', `the events that it gets, separated by commas, or ${ALL}`)
    .addOption(new Option('--off', 'tell it of nothing new').conflicts('on'))
    .option('--on', 'switch it on again')
  remove(
    'rotate-secret <organization> <webhook>',
    'replace the secret; the one before signs too for a day',
    'org_5V3kPq webhook_3Kd8Wq --yes',
    (_organization: string, webhook: string) => [
      `${webhook} gets another secret; the one before signs too for a day, and then no more.`,
    ],
    (organization, webhook) => webhooks().rotateSecret(organization, webhook),
    KEPT,
  )
  remove(
    'remove <organization> <webhook>',
    'tell it nothing more; what was on its way fails',
    'org_5V3kPq webhook_3Kd8Wq --yes',
    (_organization: string, webhook: string) => [`${webhook} goes, with its secret; what is on its way to it fails.`],
    (organization, webhook) => webhooks().delete(organization, webhook),
  )
  const test = (organization: string, webhook: string) => webhooks().test(organization, webhook)
  print('test <organization> <webhook>', 'send an event of type test', 'org_5V3kPq webhook_3Kd8Wq', test)
  addDeliveries(cli, { print, list })
}

function addDeliveries(cli: Cli, { print, list }: Pick<ReturnType<typeof groupOf>, 'print' | 'list'>): void {
  const webhooks = () => operator(cli).webhooks

  list(
    'deliveries <organization>',
    'list what was sent, latest first, and what came of it',
    'org_5V3kPq --limit 20',
    DELIVERIES,
    async (organization: string, { limit, webhook }: { limit?: number; webhook?: string }) =>
      (await webhooks().deliveries(organization, definedOnly({ limit, webhookId: webhook }))).items,
  )
    .option('--limit <number>', 'how many to show: 50 by default, at most 200', toWholeNumber)
    .option('--webhook <id>', 'only those to this webhook')
  print(
    'delivery <organization> <webhook> <delivery>',
    'show the body that is sent, and what the receiver answered',
    'org_5V3kPq webhook_3Kd8Wq event_7Hc2Rt',
    (organization: string, webhook: string, delivery: string) => webhooks().delivery(organization, webhook, delivery),
  )
  print(
    'resend <organization> <webhook> <delivery>',
    'send a delivery again, with the same id',
    'org_5V3kPq webhook_3Kd8Wq event_7Hc2Rt',
    (organization: string, webhook: string, delivery: string) => webhooks().resend(organization, webhook, delivery),
  )
}
