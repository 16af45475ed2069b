import type { Command } from 'commander'
import { callOperator, path } from './http.js'
import { type Cli, example } from './io.js'
import { printObject } from './output.js'

export function addVips(program: Command, cli: Cli): void {
  const vips = program.command('vips').description("who is a VIP on a workspace's channel")

  const addMark = (verb: string, method: string, description: string): void => {
    vips
      .command(`${verb} <organization> <workspace> <channel> <conversation>`)
      .description(description)
      .addHelpText('after', example(`greenroom vips ${verb} org_5V3kPq ws_2Hc7Yd FB_PAGE_104512883716042 t_7781203`))
      .action(async (organization: string, workspace: string, channel: string, conversation: string) =>
        printObject(
          cli,
          await callOperator(
            cli,
            method,
            path`/organizations/${organization}/workspaces/${workspace}/channels/${channel}/vips/${conversation}`,
          ),
        ),
      )
  }
  addMark('mark', 'PUT', 'make a conversation a VIP of the workspace')
  addMark('unmark', 'DELETE', 'take the mark away again')
}
