import type { AutomationMode } from '../../interface/automation.ts'

const modes: Record<AutomationMode, string> = {
  off: 'Off: nothing is done',
  shadow: 'Dry run: decide and write down, send nothing',
  on: 'On: answer comments',
}
const states: Record<AutomationMode, string> = {
  off: 'Superpowers are off',
  shadow: 'Superpowers run dry',
  on: 'Superpowers are on',
}

export const words = {
  superpowers: 'Superpowers',
  superpowersOf: (name: string): string => `Superpowers on ${name}`,
  superpowersText:
    'Comments from before the switch are left alone. If the platform stopped the channel, saving starts it again.',
  modes,
  state: (mode: AutomationMode): string => states[mode],
  notice: 'Notice',
  noticeHint: 'Stands at the start of every automatic private reply, such as: This is an automatic message.',
  perHour: 'Private replies an hour, at most',
  changed: 'Superpowers are changed',
  stopped: (why: string): string => `The platform stopped superpowers here: ${why}`,
  subscription: {
    PENDING: 'Messages and comments are being subscribed to',
    SUBSCRIBED: 'Messages and comments arrive',
  },
  refused: (problem: string): string => `Messages and comments do not arrive: ${problem}`,
}
