import type { Command } from 'commander'
import type { ChangedVipMarks, VipMarksChange } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { addTo, definedOnly, toId } from './input.js'
import { type Cli, CliError } from './io.js'
import { printObject } from './output.js'

const CHANNEL = 'org_5V3kPq ws_2Hc7Yd FB_PAGE_104512883716042'

export function addVips(program: Command, cli: Cli): void {
  const { add, print, list } = groupOf(program, cli, 'vips', "who is a VIP on a workspace's channel")

  const addMark = (verb: 'mark' | 'unmark', does: string) =>
    print(
      `${verb} <organization> <workspace> <channel> <conversation>`,
      does,
      `${CHANNEL} t_7781203`,
      (...ids: [organization: string, workspace: string, channel: string, conversation: string, ...unknown[]]) => {
        const [organization, workspace, channel, conversation] = ids
        return operator(cli).vips[verb](organization, workspace, channel, conversation)
      },
    )
  addMark('mark', 'mark a conversation as a VIP of the workspace')
  addMark('unmark', 'remove the mark')

  add(
    'change <organization> <workspace> <channel>',
    'mark and unmark several conversations together; prints those whose mark has changed',
    `${CHANNEL} --mark t_7781203 t_7781204 --unmark t_7781205`,
    async (organization: string, workspace: string, channel: string, { mark, unmark }: VipMarksChange) => {
      if (mark === undefined && unmark === undefined) throw new CliError(2, 'Say --mark or --unmark with ids.')
      const change = definedOnly({ mark, unmark })
      printChanged(cli, await operator(cli).vips.change(organization, workspace, channel, change))
    },
  )
    .option('--mark <conversations...>', 'ids of conversations to mark', addId)
    .option('--unmark <conversations...>', 'ids of conversations whose mark goes', addId)

  list(
    'of <organization> <cuid>',
    'list of which workspaces a person is a VIP, since when, and by whom',
    'org_5V3kPq cu_1001',
    { columns: ['workspaceId', 'channelId', 'conversationId', 'at', 'by'], noun: 'marks' },
    (organization: string, cuid: string) => operator(cli).vips.listOfPerson(organization, cuid),
  )
}

const addId = (given: string, ids?: string[]): string[] => addTo(toId(given), ids)

function printChanged(cli: Cli, changed: ChangedVipMarks): void {
  printObject(cli, changed)
  const { missing } = changed
  if (missing.length > 0) throw new CliError(1, `These are no conversations on the channel: ${missing.join(', ')}.`)
}
