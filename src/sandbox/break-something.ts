import type { Clock } from '../lib/clock.js'
import { graphError } from './answers.js'
import type { Breakage, PanelActions } from './breakage.js'
import { COMMENT_BREAKAGES } from './comments/comment-breakages.js'
import type { Habits } from './comments/comments.js'
import type { Faults } from './faults.js'
import { escapeHtml, toDocument } from './html.js'
import type { SandboxModel } from './model.js'
import type { Senders } from './senders/senders.js'
import { isSenderAction, sendersView } from './senders/senders-view.js'

const PUBLISHES = /\/(feed|videos|media_publish)$/

const BREAKAGES: Record<string, Breakage> = {
  down: {
    title: 'The platform fails',
    text: 'It answers every call with an error. Posts that are due are tried again until it is back; insights say what is wrong.',
    seconds: 60,
    match: () => true,
    fault: {
      kind: 'answer',
      answer: graphError({ status: 503, code: 2, message: 'Service temporarily unavailable', isTransient: true }),
    },
  },
  lost: {
    title: 'Answers are lost',
    text: 'What is published is carried out, and the connection is cut in place of the answer. The service looks for it on the page: it goes out once.',
    seconds: 120,
    match: ({ method, path }) => method === 'POST' && PUBLISHES.test(path),
    fault: { kind: 'accepted-then-reset' },
  },
  killed: {
    title: 'The publisher is killed',
    text: 'In the middle of the next post: as the platform has carried it out, all that the publisher was doing is dropped, as by kill -9, and no answer reaches it. Five seconds later another one starts, takes its posts over and finds on the page what is out: it goes out once.',
    seconds: 600,
    match: ({ method, path }) => method === 'POST' && PUBLISHES.test(path),
    fault: { kind: 'accepted-then-reset' },
    once: 'killPublisher',
  },
  slow: {
    title: 'The media takes its time',
    text: 'Videos and pictures for Instagram are processed for a while before they can be published.',
    seconds: 120,
    match: ({ method, path }) => method === 'POST' && /\/(media|videos)$/.test(path),
    fault: { kind: 'processing', polls: 3 },
  },
  revoked: {
    title: 'The token is revoked',
    text: 'The page and the Instagram account refuse the token. Posts fail with the reason, and the channels ask to be connected again. When this is over the demo connects them: retry the posts then.',
    seconds: 120,
    match: ({ path }, { pages = [] }) =>
      /\/(comments|replies|likes)$/.test(path) || pages.some(({ id }) => path.startsWith(`/${id}`)),
    fault: {
      kind: 'answer',
      answer: graphError({
        status: 401,
        code: 190,
        subcode: 460,
        message:
          'Error validating access token: The session has been invalidated because the user changed their password',
      }),
    },
  },
}

/**
 * The panel on which a person makes the platform fail for a while, and shops and inboxes deliver. It offers the breakages
 * that have their action, and the senders that are connected.
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
    Object.entries({ ...BREAKAGES, ...COMMENT_BREAKAGES }).filter(
      ([, { once }]) => once === undefined || actions[once] !== undefined,
    ),
  )
  const until = new Map<string, number>()
  const isOn = (name: string): boolean => (until.get(name) ?? 0) > clock.now()

  const hasHabit = (habit: Breakage['habit']): boolean =>
    Object.entries(breakages).some(([name, breakage]) => breakage.habit === habit && isOn(name))

  return {
    /** The buttons decide what happens as people comment. */
    habits: {
      isDoubled: () => hasHabit('doubled'),
      humanFirst: () => (hasHabit('publicly') ? 'publicly' : hasHabit('inbox') ? 'inbox' : undefined),
    } satisfies Habits,

    view: () =>
      panelView(
        model,
        breakages,
        (name) => Math.ceil(((until.get(name) ?? 0) - clock.now()) / 1000),
        sendersView(senders),
      ),

    /** Presses a button of a sender, and waits until all of it is answered. False where there is no such button. */
    send: async (action: string, sender: string): Promise<boolean> =>
      isSenderAction(action) && (await senders.press(action, sender)),

    /** False where there is no such breakage. */
    act(action: string, name: string): boolean {
      const breakage = Object.hasOwn(breakages, name) ? breakages[name]! : undefined
      if (breakage === undefined) return false
      if (action === 'mend') until.delete(name)
      if (action === 'mend' || isOn(name)) return true
      const end = clock.now() + breakage.seconds * 1000
      until.set(name, end)
      if (breakage.fault === undefined) return true
      faults.add({
        match(request) {
          if (until.get(name) !== end || !isOn(name) || !breakage.match?.(request, model)) return false
          if (breakage.once !== undefined) {
            until.delete(name)
            actions[breakage.once]?.()
          }
          return true
        },
        times: Number.POSITIVE_INFINITY,
        fault: breakage.fault,
      })
      return true
    },
  }
}

/** Shows the pages and a form for each breakage; `secondsLeft` is above 0 while it is on. */
function panelView(
  { pages = [] }: SandboxModel,
  breakages: Record<string, Breakage>,
  secondsLeft: (name: string) => number,
  deliveries: string,
): string {
  const links = pages.map(({ id, name, platform }) => {
    const kind = platform === 'facebook' ? 'Facebook page' : 'Instagram account'
    return `<li><a href="/pages/${escapeHtml(id)}">${escapeHtml(name)}</a> (${kind})</li>`
  })
  const forms = Object.entries(breakages).map(([name, { title, text, once }]) => {
    const left = secondsLeft(name)
    const [action, button, state] =
      left <= 0
        ? ['break', 'Break it', '']
        : once === undefined
          ? ['mend', 'Mend it', `<strong>Broken for another ${left} s.</strong> `]
          : ['mend', 'Call it off', '<strong>It happens with the next post.</strong> ']
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
${forms.join('\n')}
${deliveries}
</main>`,
  )
}
