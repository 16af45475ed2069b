import { type Command, Option } from 'commander'
import { callOperator, path } from './http.js'
import { readAccessToken } from './input.js'
import { type Cli, example } from './io.js'
import { printList, printObject, type Row } from './output.js'

interface NewChannel {
  type: string
  platformId: string
  name: string
}

export function addChannels(program: Command, cli: Cli): void {
  const channels = program.command('channels').description('the channels of an organization')

  channels
    .command('create <organization>')
    .description('make a channel')
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
      printObject(
        cli,
        await callOperator(cli, 'POST', path`/organizations/${organization}/channels`, { type, platformId, name }),
      ),
    )

  channels
    .command('list <organization>')
    .description('list the channels')
    .addHelpText('after', example('greenroom channels list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await callOperator<Row[]>(cli, 'GET', path`/organizations/${organization}/channels`)
      printList(cli, rows, ['id', 'type', 'status', 'name'], 'channels')
    })

  const addLink = (verb: string, method: string, description: string): void => {
    channels
      .command(`${verb} <organization> <channel> <workspace>`)
      .description(description)
      .addHelpText('after', example(`greenroom channels ${verb} org_5V3kPq FB_PAGE_104512883716042 ws_2Hc7Yd`))
      .action(async (organization: string, channel: string, workspace: string) =>
        printObject(
          cli,
          await callOperator(
            cli,
            method,
            path`/organizations/${organization}/workspaces/${workspace}/channels/${channel}`,
          ),
        ),
      )
  }
  addLink('connect', 'PUT', 'connect a channel to a workspace')
  addLink('disconnect', 'DELETE', 'disconnect a channel from a workspace; its VIP marks there go with it')

  const setToken = async (organization: string, channel: string, accessToken: string | null): Promise<void> =>
    printObject(
      cli,
      await callOperator(cli, 'PATCH', path`/organizations/${organization}/channels/${channel}`, { accessToken }),
    )

  channels
    .command('connect-platform <organization> <channel>')
    .description("connect a channel to its platform with its page's access token, read from stdin or a file")
    .option('--token-file <file>', 'read the token from this file')
    .addHelpText('after', example('greenroom channels connect-platform org_5V3kPq FB_PAGE_104512883716042 < token.txt'))
    .action(async (organization: string, channel: string, { tokenFile }: { tokenFile?: string }) =>
      setToken(organization, channel, await readAccessToken(cli, tokenFile)),
    )

  channels
    .command('disconnect-platform <organization> <channel>')
    .description('forget the access token of a channel; nothing is published on it any more')
    .addHelpText('after', example('greenroom channels disconnect-platform org_5V3kPq FB_PAGE_104512883716042'))
    .action(async (organization: string, channel: string) => setToken(organization, channel, null))
}
