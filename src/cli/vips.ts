import type { Command } from 'commander'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'

export function addVips(program: Command, cli: Cli): void {
  const { print, list } = groupOf(program, cli, 'vips', "who is a VIP on a workspace's channel")

  const addMark = (verb: 'mark' | 'unmark', does: string) =>
    print(
      `${verb} <organization> <workspace> <channel> <conversation>`,
      does,
      'org_5V3kPq ws_2Hc7Yd FB_PAGE_104512883716042 t_7781203',
      (...ids: [organization: string, workspace: string, channel: string, conversation: string, ...unknown[]]) => {
        const [organization, workspace, channel, conversation] = ids
        return operator(cli).vips[verb](organization, workspace, channel, conversation)
      },
    )
  addMark('mark', 'mark a conversation as a VIP of the workspace')
  addMark('unmark', 'remove the mark')

  list(
    'of <organization> <cuid>',
    'list of which workspaces a person is a VIP, since when, and by whom',
    'org_5V3kPq cu_1001',
    { columns: ['workspaceId', 'channelId', 'conversationId', 'at', 'by'], noun: 'marks' },
    (organization: string, cuid: string) => operator(cli).vips.listOfPerson(organization, cuid),
  )
}
