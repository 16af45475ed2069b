import { type Command, Option } from 'commander'
import { callOperator, path } from './http.js'
import { type Cli, example } from './io.js'
import { printList, printObject, type Row } from './output.js'

export function addWorkspaces(program: Command, cli: Cli): void {
  const workspaces = program.command('workspaces').description('the workspaces of an organization')

  workspaces
    .command('create <organization> <name>')
    .description('make a workspace')
    .addOption(new Option('--type <type>', 'its type').choices(['VIP', 'STANDARD']).makeOptionMandatory())
    .addHelpText('after', example("greenroom workspaces create org_5V3kPq 'Paris' --type VIP"))
    .action(async (organization: string, name: string, { type }: { type: string }) =>
      printObject(
        cli,
        await callOperator(cli, 'POST', path`/organizations/${organization}/workspaces`, { name, type }),
      ),
    )

  workspaces
    .command('list <organization>')
    .description('list the workspaces')
    .addHelpText('after', example('greenroom workspaces list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await callOperator<Row[]>(cli, 'GET', path`/organizations/${organization}/workspaces`)
      printList(cli, rows, ['id', 'type', 'name'], 'workspaces')
    })
}
