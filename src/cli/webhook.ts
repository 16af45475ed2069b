import type { Command } from 'commander'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { toWholeNumber } from './input.js'
import type { Cli } from './io.js'
import { note, printObject } from './output.js'

const KEPT = 'Keep the secret now: it is not shown again.'
const DELIVERIES = {
  columns: ['id', 'timestamp', 'type', 'status', 'attempts', 'lastStatus', 'lastError'],
  noun: 'deliveries',
}

export function addWebhook(program: Command, cli: Cli): void {
  const { add, print, list } = groupOf(program, cli, 'webhook', 'where an organization is told of events')
  const webhook = () => operator(cli).webhook

  add(
    'set <organization> <url>',
    'set the address; the first time the secret is shown, only then',
    'org_5V3kPq https://example.com/hooks/greenroom',
    async (organization: string, url: string) => {
      const answer = await webhook().set(organization, { url })
      printObject(cli, answer)
      if (answer.secret !== undefined) note(cli, KEPT)
    },
  )
  print('show <organization>', 'show the address', 'org_5V3kPq', (organization: string) => webhook().get(organization))
  const rotate = (organization: string) => webhook().rotateSecret(organization)
  const replaced = 'replace the secret; the one before signs too for a day'
  print('rotate-secret <organization>', replaced, 'org_5V3kPq', rotate, KEPT)
  const remove = (organization: string) => webhook().delete(organization)
  print('remove <organization>', 'tell nothing more; what was on its way fails', 'org_5V3kPq', remove)
  const test = (organization: string) => webhook().test(organization)
  print('test <organization>', 'send an event of type test', 'org_5V3kPq', test)
  list(
    'deliveries <organization>',
    'list what was sent, latest first, and what came of it',
    'org_5V3kPq --limit 20',
    DELIVERIES,
    async (organization: string, { limit }: { limit?: number }) =>
      (await webhook().deliveries(organization, { limit })).items,
  ).option('--limit <number>', 'how many to show: 50 by default, at most 200', toWholeNumber)
  print(
    'resend <organization> <delivery>',
    'send a delivery again, with the same id',
    'org_5V3kPq event_7Hc2Rt',
    (organization: string, delivery: string) => webhook().resend(organization, delivery),
  )
}
