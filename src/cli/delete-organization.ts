import { printObject } from './output.js'
import { confirmByName } from './removal.js'
import { row, type TableCall } from './table-command.js'

export const DELETE_ORGANIZATION = row('delete', 'deleteOrganization', {
  description: 'delete a deactivated organization and everything in it except the audit trail',
  sample: "--name 'Café Lumière'",
  fields: '',
  extend: (command) => command.option('--name <name>', 'its name, required with --yes'),
  warning: null,
  totals: 'conversations posts',
  async run(call) {
    const { cli, query, options, send } = call
    query.name = await confirmByName(cli, options.yes || !cli.stdin.isTTY ? [] : await describe(call), options)
    printObject(cli, await send())
  },
})

/** Describes what is deleted with the organization. */
async function describe({ client, ids }: TableCall): Promise<string[]> {
  const { organizationId: id } = ids
  // An organization is not listed after its deletion was interrupted.
  let warning = `${id} is not listed. This continues a deletion that was interrupted.`
  for await (const row of client.items('listOrganizations')) {
    if (row.id !== id) continue
    const workspaces = await client.call('listWorkspaces', ids)
    const channels = await client.call('listOrganizationChannels', ids)
    warning = `This deletes ${row.name} (${id}) with its keys, ${workspaces.length} workspaces, ${channels.length} channels with their conversations, ad accounts, superpowers and posts.`
  }
  return [warning]
}
