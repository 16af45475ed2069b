import type { Command } from 'commander'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { printObject } from './output.js'

export function addVips(program: Command, cli: Cli): void {
  const vips = program.command('vips').description("who is a VIP on a workspace's channel")

  const addMark = (verb: 'mark' | 'unmark', description: string): void => {
    vips
      .command(`${verb} <organization> <workspace> <channel> <conversation>`)
      .description(description)
      .addHelpText('after', example(`greenroom vips ${verb} org_5V3kPq ws_2Hc7Yd FB_PAGE_104512883716042 t_7781203`))
      .action(async (organization: string, workspace: string, channel: string, conversation: string) =>
        printObject(cli, await operator(cli).vips[verb](organization, workspace, channel, conversation)),
      )
  }
  addMark('mark', 'mark a conversation as a VIP of the workspace')
  addMark('unmark', 'remove the mark')
}
