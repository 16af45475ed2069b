import type { Command } from 'commander'
import { operator } from './client.js'
import { toWholeNumber } from './input.js'
import { type Cli, example } from './io.js'
import { note, printList, printObject } from './output.js'

const KEPT = 'Keep the secret now: it is not shown again.'

export function addWebhook(program: Command, cli: Cli): void {
  const webhook = program.command('webhook').description('where an organization is told of events')

  webhook
    .command('set <organization> <url>')
    .description('set the address; the first time the secret is shown, only then')
    .addHelpText('after', example('greenroom webhook set org_5V3kPq https://example.com/hooks/greenroom'))
    .action(async (organization: string, url: string) => {
      const answer = await operator(cli).webhook.set(organization, { url })
      printObject(cli, answer)
      if (answer.secret !== undefined) note(cli, KEPT)
    })

  webhook
    .command('show <organization>')
    .description('show the address')
    .addHelpText('after', example('greenroom webhook show org_5V3kPq'))
    .action(async (organization: string) => printObject(cli, await operator(cli).webhook.get(organization)))

  webhook
    .command('rotate-secret <organization>')
    .description('replace the secret; the one before signs too for a day')
    .addHelpText('after', example('greenroom webhook rotate-secret org_5V3kPq'))
    .action(async (organization: string) => {
      printObject(cli, await operator(cli).webhook.rotateSecret(organization))
      note(cli, KEPT)
    })

  webhook
    .command('remove <organization>')
    .description('tell nothing more; what was on its way fails')
    .addHelpText('after', example('greenroom webhook remove org_5V3kPq'))
    .action(async (organization: string) => printObject(cli, await operator(cli).webhook.delete(organization)))

  webhook
    .command('test <organization>')
    .description('send an event of type test')
    .addHelpText('after', example('greenroom webhook test org_5V3kPq'))
    .action(async (organization: string) => printObject(cli, await operator(cli).webhook.test(organization)))

  webhook
    .command('deliveries <organization>')
    .description('list what was sent, latest first, and what came of it')
    .option('--limit <number>', 'how many to show: 50 by default, at most 200', toWholeNumber)
    .addHelpText('after', example('greenroom webhook deliveries org_5V3kPq --limit 20'))
    .action(async (organization: string, { limit }: { limit?: number }) => {
      const { items } = await operator(cli).webhook.deliveries(organization, { limit })
      const columns = ['id', 'timestamp', 'type', 'status', 'attempts', 'lastStatus', 'lastError']
      printList(cli, items, { columns, noun: 'deliveries' })
    })

  webhook
    .command('resend <organization> <delivery>')
    .description('send a delivery again, with the same id')
    .addHelpText('after', example('greenroom webhook resend org_5V3kPq event_7Hc2Rt'))
    .action(async (organization: string, delivery: string) =>
      printObject(cli, await operator(cli).webhook.resend(organization, delivery)),
    )
}
