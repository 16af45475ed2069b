import { type Command, Option } from 'commander'
import type { WorkspaceType } from '../client/index.js'
import { api, operator } from './client.js'
import { type Cli, example } from './io.js'
import { printLine, printList, printObject } from './output.js'
import { addSureOption, confirmRemoval, deleteAll, type SureOption } from './removal.js'

export function addWorkspaces(program: Command, cli: Cli): void {
  const workspaces = program.command('workspaces').description('the workspaces of an organization')

  workspaces
    .command('create <organization> <name>')
    .description('create a workspace')
    .addOption(new Option('--type <type>', 'its type').choices(['VIP', 'STANDARD']).makeOptionMandatory())
    .option('--quiet', 'print only its id')
    .addHelpText('after', example("greenroom workspaces create org_5V3kPq 'Paris' --type VIP"))
    .action(async (organization: string, name: string, { type, quiet }: { type: WorkspaceType; quiet?: true }) => {
      const workspace = await operator(cli).workspaces.create(organization, { name, type })
      if (quiet) printLine(cli, workspace.id)
      else printObject(cli, workspace)
    })

  workspaces
    .command('rename <organization> <workspace> <name>')
    .description('give a workspace another name')
    .addHelpText('after', example("greenroom workspaces rename org_5V3kPq ws_2Hc7Yd 'Lyon'"))
    .action(async (organization: string, workspace: string, name: string) =>
      printObject(cli, await operator(cli).workspaces.update(organization, workspace, { name })),
    )

  addSureOption(workspaces.command('delete <organization> <workspace>'))
    .description('delete a workspace with its VIP marks and connections; the conversations stay')
    .addHelpText('after', example('greenroom workspaces delete org_5V3kPq ws_2Hc7Yd --yes'))
    .action(async (organization: string, workspace: string, options: SureOption) => {
      const goes = [`The workspace ${workspace} goes, with its VIP marks and its connections to channels.`]
      await confirmRemoval(cli, goes, options)
      await deleteAll(cli, ['vipMarks'], () => operator(cli).workspaces.delete(organization, workspace))
    })

  workspaces
    .command('list [organization]')
    .description("list the workspaces of an organization as the operator, or the key's own")
    .addHelpText('after', example('greenroom workspaces list org_5V3kPq'))
    .action(async (organization?: string) => {
      const rows = await (organization === undefined
        ? api(cli).workspaces.list()
        : operator(cli).workspaces.list(organization))
      printList(cli, rows, { columns: ['id', 'type', 'name'], noun: 'workspaces' })
    })
}
