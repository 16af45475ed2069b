import { type Command, Option } from 'commander'
import type { Channel, NewChannel, OrganizationChannel } from '../client/index.js'
import { api, operator } from './client.js'
import { groupOf } from './command-group.js'
import { addTokenOptions, readPlatformToken, type TokenOptions } from './input.js'
import type { Cli } from './io.js'
import type { ListView } from './output.js'
import { deleteAll, type SureOption } from './removal.js'

const CHANNELS: ListView<Channel | OrganizationChannel> = {
  columns: ['id', 'type', 'status', 'subscription', 'name'],
  spare: ['type', 'subscription'],
  noun: 'channels',
  toRow(channel) {
    // A key does not see it.
    const { state, problem = null } = ('subscription' in channel && channel.subscription) || {}
    return { ...channel, subscription: problem === null ? state : `${state}: ${problem}` }
  },
}
const PAGE = 'org_5V3kPq FB_PAGE_104512883716042'

export function addChannels(program: Command, cli: Cli): void {
  const { print, list, remove } = groupOf(program, cli, 'channels', 'the channels of an organization')

  print(
    'create <organization>',
    'create a channel',
    "org_5V3kPq --type FB_PAGE --platform-id 104512883716042 --name 'Café Lumière'",
    (organization: string, { type, platformId, name }: NewChannel) =>
      operator(cli).channels.create(organization, { type, platformId, name }),
  )
    .addOption(new Option('--type <type>', 'its type').choices(['FB_PAGE', 'INSTAGRAM_ACCOUNT']).makeOptionMandatory())
    .requiredOption('--platform-id <digits>', 'its id at the platform')
    .requiredOption('--name <name>', 'its name')

  list(
    'list [organization]',
    "list the channels of an organization as the operator, or the key's own",
    'org_5V3kPq',
    CHANNELS,
    (organization?: string): Promise<(Channel | OrganizationChannel)[]> =>
      organization === undefined ? api(cli).channels.list() : operator(cli).channels.list(organization),
  )

  print(
    'rename <organization> <channel> <name>',
    'give a channel another name',
    `${PAGE} 'Café Aurore'`,
    (organization: string, channel: string, name: string) =>
      operator(cli).channels.update(organization, channel, { name }),
  )

  remove(
    'delete <organization> <channel>',
    'delete a channel with its conversations, VIP marks and access token',
    `${PAGE} --yes`,
    (_: string, channel: string, { force }: SureOption & { force?: true }) => [
      `The channel ${channel} goes, with its conversations, VIP marks, access token and connections.`,
      ...(force ? ['Posts that are about to be published on it fail there.'] : []),
    ],
    (organization, channel, { force }) =>
      deleteAll(cli, ['conversations', 'failedPosts', 'publishingPosts'], () =>
        operator(cli).channels.delete(organization, channel, { force }),
      ),
  ).option('--force', 'also while posts are about to be published on it; they fail there')

  print(
    'connect <organization> <channel> <workspace>',
    'connect a channel to a workspace',
    `${PAGE} ws_2Hc7Yd`,
    (organization: string, channel: string, workspace: string) =>
      operator(cli).channels.connect(organization, workspace, channel),
  )
  remove(
    'disconnect <organization> <channel> <workspace>',
    'disconnect a channel from a workspace; its VIP marks there are removed',
    `${PAGE} ws_2Hc7Yd --yes`,
    (_organization: string, channel: string, workspace: string) => [
      `The VIP marks of ${workspace} on ${channel} go, and connecting it again does not bring them back.`,
    ],
    (organization, channel, workspace) => operator(cli).channels.disconnect(organization, workspace, channel),
  )

  addPlatform(cli, { print, remove })
}

/** The commands that connect a channel to its platform. */
function addPlatform(cli: Cli, { print, remove }: Pick<ReturnType<typeof groupOf>, 'print' | 'remove'>): void {
  addTokenOptions(
    print(
      'connect-platform <organization> <channel>',
      "connect a channel to its platform with its page's access token, read from stdin or a file",
      `${PAGE} < token.txt`,
      async (organization: string, channel: string, options: TokenOptions) =>
        operator(cli).channels.update(organization, channel, await readPlatformToken(cli, options)),
    ),
  )

  remove(
    'disconnect-platform <organization> <channel>',
    'remove the access token of a channel; nothing is published on it any more',
    `${PAGE} --yes`,
    (_organization: string, channel: string) => [`The access token of ${channel} goes: posts fail there without one.`],
    (organization, channel) => operator(cli).channels.update(organization, channel, { accessToken: null }),
  )
}
