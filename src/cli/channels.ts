import { type Command, Option } from 'commander'
import type { NewChannel, PlatformToken } from '../client/index.js'
import { api, operator } from './client.js'
import { NO_CHECK, readPlatformToken, type TokenOptions } from './input.js'
import { type Cli, example } from './io.js'
import { printList, printObject } from './output.js'
import { addSureOption, confirmRemoval, deleteAll, type SureOption } from './removal.js'

export function addChannels(program: Command, cli: Cli): void {
  const channels = program.command('channels').description('the channels of an organization')

  channels
    .command('create <organization>')
    .description('create a channel')
    .addOption(new Option('--type <type>', 'its type').choices(['FB_PAGE', 'INSTAGRAM_ACCOUNT']).makeOptionMandatory())
    .requiredOption('--platform-id <digits>', 'its id at the platform')
    .requiredOption('--name <name>', 'its name')
    .addHelpText(
      'after',
      example(
        "greenroom channels create org_5V3kPq --type FB_PAGE --platform-id 104512883716042 --name 'Café Lumière'",
      ),
    )
    .action(async (organization: string, { type, platformId, name }: NewChannel) =>
      printObject(cli, await operator(cli).channels.create(organization, { type, platformId, name })),
    )

  channels
    .command('list [organization]')
    .description("list the channels of an organization as the operator, or the key's own")
    .addHelpText('after', example('greenroom channels list org_5V3kPq'))
    .action(async (organization?: string) => {
      const rows = await (organization === undefined
        ? api(cli).channels.list()
        : operator(cli).channels.list(organization))
      printList(cli, rows, { columns: ['id', 'type', 'status', 'name'], spare: ['type'], noun: 'channels' })
    })

  channels
    .command('rename <organization> <channel> <name>')
    .description('give a channel another name')
    .addHelpText('after', example("greenroom channels rename org_5V3kPq FB_PAGE_104512883716042 'Café Aurore'"))
    .action(async (organization: string, channel: string, name: string) =>
      printObject(cli, await operator(cli).channels.update(organization, channel, { name })),
    )

  addSureOption(channels.command('delete <organization> <channel>'))
    .description('delete a channel with its conversations, VIP marks and access token')
    .option('--force', 'also while posts are about to be published on it; they fail there')
    .addHelpText('after', example('greenroom channels delete org_5V3kPq FB_PAGE_104512883716042 --yes'))
    .action(async (organization: string, channel: string, options: SureOption & { force?: true }) => {
      const goes = [
        `The channel ${channel} goes, with its conversations, VIP marks, access token and connections.`,
        ...(options.force ? ['Posts that are about to be published on it fail there.'] : []),
      ]
      await confirmRemoval(cli, goes, options)
      await deleteAll(cli, ['conversations', 'failedPosts', 'publishingPosts'], () =>
        operator(cli).channels.delete(organization, channel, { force: options.force }),
      )
    })

  const addLink = (verb: 'connect' | 'disconnect', description: string): void => {
    channels
      .command(`${verb} <organization> <channel> <workspace>`)
      .description(description)
      .addHelpText('after', example(`greenroom channels ${verb} org_5V3kPq FB_PAGE_104512883716042 ws_2Hc7Yd`))
      .action(async (organization: string, channel: string, workspace: string) =>
        printObject(cli, await operator(cli).channels[verb](organization, workspace, channel)),
      )
  }
  addLink('connect', 'connect a channel to a workspace')
  addLink('disconnect', 'disconnect a channel from a workspace; its VIP marks there are removed')

  const setToken = async (organization: string, channel: string, token: PlatformToken): Promise<void> =>
    printObject(cli, await operator(cli).channels.update(organization, channel, token))

  channels
    .command('connect-platform <organization> <channel>')
    .description("connect a channel to its platform with its page's access token, read from stdin or a file")
    .option('--token-file <file>', 'read the token from this file')
    .option('--no-check', NO_CHECK)
    .addHelpText('after', example('greenroom channels connect-platform org_5V3kPq FB_PAGE_104512883716042 < token.txt'))
    .action(async (organization: string, channel: string, options: TokenOptions) =>
      setToken(organization, channel, await readPlatformToken(cli, options)),
    )

  channels
    .command('disconnect-platform <organization> <channel>')
    .description('remove the access token of a channel; nothing is published on it any more')
    .addHelpText('after', example('greenroom channels disconnect-platform org_5V3kPq FB_PAGE_104512883716042'))
    .action(async (organization: string, channel: string) => setToken(organization, channel, { accessToken: null }))
}
