import { beforeEach, describe, expect, test } from 'vitest'
import { Discussion } from '../../../src/console/discussion/discussion.tsx'
import { FoldedDiscussion, OutsideDiscussion } from '../../../src/console/discussion/outside-discussion.tsx'
import type { DiscussionMessage, NewDiscussionMessage, ReviewMessage } from '../../../src/interface/generated/types.ts'
import { button, field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { page } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const PATH = '/organizations/org_1/scheduled-posts/post_1/discussion'
const clara = { type: 'user', id: 'usr_2', name: 'Clara' } as const

const messageOf = (changes: Partial<DiscussionMessage> = {}): DiscussionMessage => ({
  ...{ id: 'msg_1', shared: false, author: clara, text: 'Is the date right?', mentions: [] },
  createdAt: '2099-11-20T09:00:00.000Z',
  ...changes,
})

let service: FakeService
let messages: DiscussionMessage[]
beforeEach(() => {
  service = new FakeService()
  messages = [messageOf()]
  service.on('GET', PATH, () => ({ body: page(messages) }))
  service.on('GET', '/organizations/org_1/members', {
    body: [
      { id: 'usr_1', name: 'Person', active: true },
      { id: 'usr_2', name: 'Clara', active: true },
      { id: 'usr_3', name: 'Carl', active: true },
      { id: 'usr_4', name: 'Gone', active: false },
    ],
  })
  service.on('POST', PATH, ({ body }) => {
    const { text, replyTo, shared = false } = body as NewDiscussionMessage
    const author = { type: 'user', id: 'usr_1', name: 'Person' } as const
    const message = messageOf({ id: `msg_${messages.length + 1}`, author, text, shared, ...(replyTo && { replyTo }) })
    messages.push(message)
    return { status: 201, body: message }
  })
})

const area = (label: string): HTMLTextAreaElement => field<HTMLTextAreaElement>(label)
const draw = (permissions: string[] = ['posts:read', 'people:read']) =>
  show(<Discussion postId="post_1" />, { permissions } as never)
const key = (name: string): boolean =>
  area('New message').dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }))
const options = (): string[] => [...document.querySelectorAll('[role=option]')].map((one) => textOf(one))
const sent = (): unknown => service.made('POST', PATH).at(-1)?.body

describe('the discussion of a post', () => {
  test('shows open threads with their number, and collapses resolved ones', async () => {
    messages.push(
      messageOf({ id: 'msg_2', text: 'Done', resolvedAt: '2099-11-20T10:00:00.000Z', resolvedBy: clara }),
      messageOf({ id: 'msg_3', replyTo: 'msg_1', text: '', deletedAt: '2099-11-20T10:00:00.000Z' }),
    )
    draw()
    await untilShown('Discussion: 1 open')
    await untilShown('This message was deleted.')
    expect(textOf(document.querySelector('details summary')!)).toBe('1 resolved thread')
    expect(textOf(document.querySelector('details')!)).toContain('Resolved by Clara, 20 Nov, 10:00')
  })

  test('sends a typed message once, keeps it if it is refused, and restores it after a reload', async () => {
    service.on('POST', PATH, refusal(409, 'discussion_full'))
    draw()
    await untilShown('Is the date right?')
    type(area('New message'), 'Hello\nthere')
    await press('Send')
    await until(() => expect(document.querySelector('.refusal')).not.toBeNull())
    expect(area('New message').value).toBe('Hello\nthere')
    draw()
    await untilShown('Is the date right?')
    expect(area('New message').value).toBe('Hello\nthere')
    expect(sent()).toEqual({ text: 'Hello\nthere', mentions: [], shared: false })
  })

  test('offers other active members after an @, and mentions the one chosen with a key', async () => {
    draw()
    await untilShown('Is the date right?')
    await until(() => expect(service.made('GET', '/organizations/org_1/members')).toHaveLength(1))
    type(area('New message'), 'For @c')
    await until(() => expect(options()).toEqual(['Clara', 'Carl']))
    key('ArrowDown')
    await until(() => {
      const active = area('New message').getAttribute('aria-activedescendant')
      expect(textOf(document.getElementById(active!)!)).toBe('Carl')
    })
    key('Enter')
    await until(() => expect(area('New message').value).toBe('For @Carl '))
    expect(options()).toEqual([])
    await press('Send')
    await until(() => expect(sent()).toEqual({ text: 'For @Carl', mentions: ['usr_3'], shared: false }))
  })

  test('does not mention people whose name was deleted again or only typed', async () => {
    draw()
    await until(() => expect(service.made('GET', '/organizations/org_1/members')).toHaveLength(1))
    type(area('New message'), '@cl')
    await until(() => expect(options()).toEqual(['Clara']))
    key('Tab')
    await until(() => expect(area('New message').value).toBe('@Clara '))
    type(area('New message'), 'By hand: @Carl')
    await until(() => expect(options()).toEqual(['Carl']))
    key('Escape')
    await until(() => expect(options()).toEqual([]))
    await press('Send')
    await until(() => expect(sent()).toMatchObject({ mentions: [] }))
  })

  test('offers people to edit only their own messages, and an administrator to delete any', async () => {
    messages.push(messageOf({ id: 'msg_2', author: { type: 'user', id: 'usr_1', name: 'Person' }, text: 'Mine' }))
    const buttons = (): string[] => [...document.querySelectorAll('button')].map((one) => textOf(one))
    draw()
    await untilShown('Mine')
    expect(buttons().filter((name) => name.startsWith('Edit'))).toEqual(['Edit Person’s message'])
    expect(buttons().filter((name) => name.startsWith('Delete'))).toEqual(['Delete Person’s message'])
    draw(['posts:read', 'people:read', 'people:write'])
    await untilShown('Mine')
    expect(buttons().filter((name) => name.startsWith('Delete'))).toHaveLength(2)
    service.on('DELETE', `${PATH}/msg_1`, { body: { id: 'msg_1', removed: true } })
    await press('Delete Clara’s message')
    await untilShown('Delete the message?')
    await press('Delete')
    await until(() => expect(service.made('DELETE', `${PATH}/msg_1`)).toHaveLength(1))
  })
})

describe('the messages that a person with a link can see', () => {
  test('can be read with the link, and answered', async () => {
    const shared: ReviewMessage[] = [
      {
        ...{ id: 'msg_1', author: 'Clara', own: false, text: 'Is the date right?', edited: true, deleted: false },
        ...{ createdAt: '2099-11-20T09:00:00.000Z', resolved: false },
      },
    ]
    service.on('GET', '/posts/1/discussion', { body: page(shared) })
    service.on('POST', '/posts/1/discussion', { status: 201, body: shared[0] })
    show(<OutsideDiscussion token="secret" number={1} timeZone="UTC" organizationName="Mercado" everyMs={5_000} />)
    await untilShown('Is the date right?')
    await press('Reply Clara’s message')
    await until(() => expect(document.activeElement).toBe(area('Reply to Clara')))
    type(area('Reply to Clara'), 'It is on Friday')
    await press('Send')
    await until(() => expect(service.made('POST', '/posts/1/discussion')).toHaveLength(1))
    const [call] = service.made('POST', '/posts/1/discussion')
    expect(call!.body).toEqual({ text: 'It is on Friday', replyTo: 'msg_1' })
    expect(call!.headers.get('authorization')).toBe('Bearer secret')
  })

  test('can be edited and deleted only by their authors with the link', async () => {
    const at = { createdAt: '2099-11-20T09:00:00.000Z', resolved: false, edited: false, deleted: false }
    const shared: ReviewMessage[] = [
      { ...at, id: 'msg_1', author: 'Clara', own: false, text: 'Is the date right?' },
      { ...at, id: 'msg_2', replyTo: 'msg_1', author: 'Anna', own: true, text: 'It si' },
    ]
    service.on('GET', '/posts/3/discussion', () => ({ body: page(shared) }))
    service.on('PATCH', '/posts/3/discussion/msg_2', { body: shared[1] })
    service.on('DELETE', '/posts/3/discussion/msg_2', { body: { id: 'msg_2', removed: true } })
    const changed: string[] = []
    show(
      <FoldedDiscussion
        {...{
          token: 'secret',
          timeZone: 'UTC',
          organizationName: 'Mercado',
          everyMs: 5_000,
          number: 3,
          openMessages: 1,
        }}
        onChanged={() => changed.push('again')}
      />,
    )
    await untilShown('Questions and comments')
    await untilShown('1 open thread in the discussion')
    // Nothing is read before it is opened.
    expect(service.made('GET', '/posts/3/discussion')).toEqual([])
    document.querySelector('details')!.open = true
    await untilShown('It si')
    expect(document.querySelectorAll('.message .actions')).toHaveLength(1)
    await press('Edit your message')
    type(area('Message'), ' ')
    await until(() => expect(button('Save').disabled).toBe(true))
    type(area('Message'), 'It is')
    await press('Save')
    await until(() => expect(service.made('PATCH', '/posts/3/discussion/msg_2')).toHaveLength(1))
    expect(service.made('PATCH', '/posts/3/discussion/msg_2')[0]!.body).toEqual({ text: 'It is' })
    await press('Delete your message')
    await untilShown('Delete the message?')
    await press('Delete')
    await until(() => expect(service.made('DELETE', '/posts/3/discussion/msg_2')).toHaveLength(1))
    await until(() => expect(changed).toEqual(['again', 'again']))
  })
})
