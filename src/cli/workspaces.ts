import { type Command, Option } from 'commander'
import type { WorkspaceType } from '../client/index.js'
import { listFor, operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'
import { deleteAll } from './removal.js'

export function addWorkspaces(program: Command, cli: Cli): void {
  const { print, list, remove } = groupOf(program, cli, 'workspaces', 'the workspaces of an organization')

  print(
    'create <organization> <name>',
    'create a workspace',
    "org_5V3kPq 'Paris' --type VIP",
    (organization: string, name: string, { type }: { type: WorkspaceType }) =>
      operator(cli).workspaces.create(organization, { name, type }),
  )
    .addOption(new Option('--type <type>', 'its type').choices(['VIP', 'STANDARD']).makeOptionMandatory())
    .option('--quiet', 'print only its id')

  print(
    'rename <organization> <workspace> <name>',
    'give a workspace another name',
    "org_5V3kPq ws_2Hc7Yd 'Lyon'",
    (organization: string, workspace: string, name: string) =>
      operator(cli).workspaces.update(organization, workspace, { name }),
  )

  remove(
    'delete <organization> <workspace>',
    'delete a workspace with its VIP marks and connections; the conversations stay',
    'org_5V3kPq ws_2Hc7Yd --yes',
    (_: string, workspace: string) => [
      `The workspace ${workspace} goes, with its VIP marks and its connections to channels.`,
    ],
    (organization, workspace) =>
      deleteAll(cli, ['vipMarks'], () => operator(cli).workspaces.delete(organization, workspace)),
  )

  list(
    'list [organization]',
    "list the workspaces of an organization as the operator, or the key's own",
    'org_5V3kPq',
    { columns: ['id', 'type', 'name'], noun: 'workspaces' },
    (organization?: string) => listFor(cli, 'workspaces', organization),
  )
}
