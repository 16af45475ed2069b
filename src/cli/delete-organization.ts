import type { Command } from 'commander'
import { api } from './client.js'
import { addCommand } from './command.js'
import type { Cli } from './io.js'
import { collect, printObject } from './output.js'
import { addSureOption, confirmByName, deleteAll, type SureOption } from './removal.js'

export const addDeleteOrganization = (program: Command, cli: Cli): Command =>
  addSureOption(
    addCommand(
      program,
      'organizations delete <organization>',
      'delete a deactivated organization with everything in it; its audit trail stays',
      "org_5V3kPq --yes --name 'Café Lumière'",
      (id: string, options: SureOption & { name?: string }) => deleteOrganization(cli, id, options),
    ),
  ).option('--name <name>', 'its name, for --yes')

async function deleteOrganization(cli: Cli, id: string, options: SureOption & { name?: string }): Promise<void> {
  const client = api(cli)
  const goes = async (): Promise<string[]> => {
    const found = (await collect(client.items('listOrganizations'))).find((row) => row.id === id)
    // One whose deletion broke off is in no list.
    if (found === undefined) return [`${id} is not listed: a deletion that broke off is continued.`]
    const workspaces = await client.call('listWorkspaces', { organizationId: id })
    const channels = await client.call('listOrganizationChannels', { organizationId: id })
    return [
      `${found.name} (${id}) goes with its keys, ${workspaces.length} workspaces, ${channels.length} channels with their conversations, ad accounts, superpowers and posts.`,
    ]
  }
  const name = await confirmByName(cli, options.yes || !cli.stdin.isTTY ? [] : await goes(), options)
  printObject(
    cli,
    await deleteAll(cli, ['conversations', 'posts'], () =>
      client.call('deleteOrganization', { organizationId: id, query: { name } }),
    ),
  )
}
