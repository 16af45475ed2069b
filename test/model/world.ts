import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from '../../packages/sandbox/src/faults.js'
import {
  acceptedThenBadGatewayFault,
  accountLimitFault,
  badGatewayFault,
  refusedFault,
} from '../../packages/sandbox/src/make-faults.js'
import type { SandboxPage } from '../../packages/sandbox/src/model.js'
import type { Sandbox } from '../../packages/sandbox/src/sandbox.js'
import type { Calls } from './calls.js'
import type { FastClock } from './clock.js'
import type { Nodes } from './nodes.js'
import type { PostNote } from './notebook.js'
import type { Disturbance, FaultName, Sequence } from './plan.js'
import type { ChannelPlan } from './stage.js'

/** The text of the only refusal that the model makes the stand-in platform return. */
export const REFUSAL = 'The platform of the model refuses it.'

const FAULTS: Record<FaultName, (pageId: string) => Fault> = {
  refused: () => refusedFault(REFUSAL),
  reset: () => ({ kind: 'reset' }),
  'bad gateway': badGatewayFault,
  'accepted, then reset': () => ({ kind: 'accepted-then-reset' }),
  'accepted, then bad gateway': acceptedThenBadGatewayFault,
  'reset in the response': () => ({ kind: 'reset-in-body' }),
  'no response': () => ({ kind: 'hang' }),
  limit: (pageId) => accountLimitFault(pageId, 1, 'pages'),
  processing: () => ({ kind: 'processing', polls: 2 }),
}

export interface Violation {
  sequence: number
  /** How many steps of the sequence had begun. */
  steps: number
  what: string
}

/** Everything in a trial: the service, the platform, and the notes about the posts. */
export interface World {
  nodes: Nodes
  calls: Calls
  sandbox: Sandbox
  clock: FastClock
  channels: ChannelPlan[]
  posts: PostNote[]
  violations: Violation[]
  /** Periods in which an organization was certainly inactive, by the fast clock. */
  inactive: { organizationId: string; from: number; to: number }[]
  counts: Record<string, number>
  /** The latest deactivation. Deactivations run one after another. */
  switching: Promise<void>
}

export const count = (world: World, name: string): void => {
  world.counts[name] = (world.counts[name] ?? 0) + 1
}

export const pageIdOf = ({ channelId, type }: ChannelPlan): string => channelId.slice(type.length + 1)

/** Starts the planned disturbance. The steps go on during a long one. */
export async function disturb(
  world: World,
  sequence: Sequence,
  channels: ChannelPlan[],
  what: Disturbance,
): Promise<void> {
  const { nodes, sandbox } = world
  count(world, what.kind === 'fault' ? `fault: ${what.fault}` : `${what.kind}s`)
  if (what.kind === 'kill') void nodes.kill(what.node)
  else if (what.kind === 'pause') void nodes.pause(what.node, what.ms)
  else if (what.kind === 'token') await replaceToken(world, channels[what.channel]!)
  else if (what.kind === 'inactive') {
    world.switching = world.switching.then(() => deactivate(world, sequence, what.ms))
  } else {
    const pageId = pageIdOf(channels[what.channel]!)
    const match = ({ method, path }: { method: string; path: string }): boolean =>
      path.startsWith(`/${pageId}/`) && (method === 'POST' || what.fault !== 'refused')
    sandbox.faults.add({ match, fault: FAULTS[what.fault](pageId) })
  }
}

/** Makes the platform refuse the next call that would change something on the channel. */
export function refuseOnce({ sandbox }: World, channel: ChannelPlan): void {
  const match = ({ method, path }: { method: string; path: string }): boolean =>
    method === 'POST' && path.startsWith(`/${pageIdOf(channel)}/`)
  sandbox.faults.add({ match, fault: FAULTS.refused('') })
}

/** Replaces a token. The platform accepts both tokens until the service has the new one, and then only the new one. */
async function replaceToken({ calls, sandbox, channels }: World, channel: ChannelPlan): Promise<void> {
  const pages = sandbox.model.pages as SandboxPage[]
  const before = pages.find(({ id }) => id === pageIdOf(channel))!
  const page = { ...before, accessToken: `${channel.token}x${pages.length}x${Date.now()}` }
  pages.push(page)
  for (const node of [0, 1, 0, 1]) {
    const body = { accessToken: page.accessToken, check: false }
    const path = `/channels/${channel.channelId}`
    const answer = await calls.call(node, 'operator', channel.organization, 'PATCH', path, { body })
    if (answer === 'lost') continue
    const current = channels.find(({ channelId }) => channelId === channel.channelId)!
    current.token = page.accessToken
    for (let index = pages.length - 1; index >= 0; index--) {
      if (pages[index]!.id === page.id && pages[index] !== page) pages.splice(index, 1)
    }
    return
  }
}

async function deactivate(world: World, { organization }: Sequence, ms: number): Promise<void> {
  const { calls, clock, inactive } = world
  const off = await setActive(calls, organization, false)
  const from = clock.now()
  await wait(ms)
  const to = clock.now()
  await setActive(calls, organization, true)
  if (off) inactive.push({ organizationId: calls.organization(organization).id, from, to })
}

/** Repeats the call until it is answered. Returns false if that took more than one call. */
export async function setActive(
  calls: Calls,
  organization: Sequence['organization'],
  active: boolean,
): Promise<boolean> {
  for (let tries = 0; ; tries++) {
    const answer = await calls.call(tries, 'operator', organization, 'PATCH', '', { body: { active } })
    if (answer !== 'lost') return tries === 0
    await wait(200)
  }
}
