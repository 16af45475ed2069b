import type { Breakage, PanelActions } from './breakage.js'
import { BREAKAGES } from './breakages.js'
import type { Habits } from './comments/comments.js'
import type { Faults, Habit } from './faults.js'
import { escapeHtml, toDocument } from './html.js'
import type { Clock } from './lib/clock.js'
import type { SandboxModel } from './model.js'
import { isInGroup } from './requests.js'
import type { RecordedRequest } from './route.js'
import type { Senders } from './senders/senders.js'
import { isSenderAction, sendersView } from './senders/senders-view.js'

/**
 * The panel with which a person makes the platform fail for a while, and makes shops and inboxes deliver. It offers the
 * breakages that have an action, and the connected senders.
 */
export function createPanel({
  model,
  faults,
  clock,
  actions,
  senders,
}: {
  model: SandboxModel
  faults: Faults
  clock: Clock
  actions: Partial<PanelActions>
  senders: Senders
}) {
  const breakages = Object.fromEntries(
    Object.entries(BREAKAGES).filter(([, { once }]) => once === undefined || actions[once] !== undefined),
  )
  const findActive = (name: string) => faults.list().find((fault) => fault.name === name)
  const hasHabit = (habit: Habit): boolean => faults.list().some((fault) => fault.habit === habit)
  const secondsLeft = (name: string): number =>
    Math.ceil(((findActive(name)?.endsAt ?? clock.now()) - clock.now()) / 1000)

  return {
    /** The faults control what happens when people comment. */
    habits: {
      isDoubled: () => hasHabit('doubled'),
      humanFirst: () => (hasHabit('publicly') ? 'publicly' : hasHabit('inbox') ? 'inbox' : undefined),
    } satisfies Habits,

    view: () =>
      panelView(model, { breakages, secondsLeft, others: othersView(faults, breakages) }, sendersView(senders)),

    /** Presses a button of a sender, and waits until all its deliveries are answered. False if there is no such button. */
    send: async (action: string, sender: string): Promise<boolean> =>
      isSenderAction(action) && (await senders.press(action, sender)),

    /** False if there is no such breakage. */
    act(action: string, name: string): boolean {
      const breakage = Object.hasOwn(breakages, name) ? breakages[name]! : undefined
      if (breakage === undefined) return false
      const active = findActive(name)
      if (action === 'mend')
        for (const { id } of faults.list().filter((fault) => fault.name === name)) faults.remove(id)
      if (action === 'mend' || active !== undefined) return true
      faults.add({ ...ruleOf(name, breakage, { model, actions }), seconds: breakage.seconds })
      return true
    },
  }
}

/** The rule of a breakage, for any number of requests or for one if it happens once. */
export function ruleOf(
  name: string,
  { on, fault, habit, once }: Pick<Breakage, 'on' | 'fault' | 'habit' | 'once'>,
  { model, actions }: { model: SandboxModel; actions: Partial<PanelActions> },
) {
  return {
    ...{ name, fault, habit, times: once === undefined ? Number.POSITIVE_INFINITY : 1 },
    match: (request: RecordedRequest) => on === undefined || isInGroup(on, request, model),
    onUse: once && actions[once],
  }
}

/** Shows the faults that programs have set. */
function othersView(faults: Faults, breakages: Record<string, Breakage>): string {
  const others = faults.list().filter(({ name }) => name === undefined || !Object.hasOwn(breakages, name))
  if (others.length === 0) return ''
  const items = others.map(({ id, name, timesLeft }) => {
    const times =
      timesLeft === 1 ? 'one request' : Number.isFinite(timesLeft) ? `${timesLeft} requests` : 'all requests'
    return `<li>${escapeHtml(name ?? 'a fault set by a test')}, for ${times} (${escapeHtml(id)})</li>`
  })
  return `<article class="on"><h2>Faults set by a program</h2><ul>${items.join('')}</ul></article>`
}

/** Shows the pages and a form for each breakage; `secondsLeft` is above 0 while a breakage is on. */
function panelView(
  { pages = [] }: SandboxModel,
  {
    breakages,
    secondsLeft,
    others,
  }: { breakages: Record<string, Breakage>; secondsLeft: (name: string) => number; others: string },
  deliveries: string,
): string {
  const links = pages.map(({ id, name, platform }) => {
    const kind = platform === 'facebook' ? 'Facebook page' : 'Instagram account'
    return `<li><a href="/pages/${escapeHtml(id)}">${escapeHtml(name)}</a> (${kind})</li>`
  })
  const forms = Object.entries(breakages).map(([name, { title, text, once }]) => {
    const left = secondsLeft(name)
    const shown = Number.isFinite(left) ? `for another ${left} s` : 'until it is cleared'
    const [action, button, state] =
      left <= 0
        ? ['break', 'Break it', '']
        : once === undefined
          ? ['mend', 'Mend it', `<strong>Broken ${shown}.</strong> `]
          : ['mend', 'Stop it', '<strong>It happens with the next post.</strong> ']
    return `<form method="post" action="/${action}/${name}"${left > 0 ? ' class="on"' : ''}>
<h2>${title}</h2>
<p>${state}${text}</p>
<button>${button}</button>
</form>`
  })
  return toDocument(
    'Break something',
    `<header class="facebook"><span class="face" aria-hidden="true">!</span>
<h1>Break something</h1><p>The sandbox stands in for Meta’s platform. Nothing here leaves this machine.</p></header>
<main>
<ul>${links.join('')}</ul>
${others}
${forms.join('\n')}
${deliveries}
</main>`,
  )
}
