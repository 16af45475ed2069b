import { Route, Router } from 'preact-iso'
import { beforeEach, expect, test } from 'vitest'
import { describeChange } from '../../../src/console/activity/describe-change.ts'
import PostPage from '../../../src/console/posts/post.tsx'
import { People } from '../../../src/console/settings/people.tsx'
import type { Member, OwnOrganization } from '../../../src/interface/generated/types.ts'
import { button, press, show, textOf, until, untilShown } from './page.tsx'
import { FakePosts, page, postOf } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const ORG = '/organizations/org_1'
let service: FakeService
beforeEach(() => {
  service = new FakeService()
  service.on('GET', `${ORG}/channels`, {
    body: [
      { id: 'FB_1', name: 'Mercado', type: 'FB_PAGE', status: 'connected' },
      { id: 'FB_2', name: 'Padaria', type: 'FB_PAGE', status: 'connected' },
    ],
  })
})

const select = (label: string): HTMLSelectElement =>
  [...document.querySelectorAll('label')].find((one) => textOf(one).startsWith(label))!.querySelector('select')!

test('channel roles are added, changed and removed in one dialog, and saved together', async () => {
  const members: Partial<Member>[] = [
    {
      ...{ id: 'usr_2', name: 'Bea', mail: 'bea@example.com', active: true, mailProven: true, secondFactor: false },
      ...{ role: 'VIEWER', mayApprove: false },
      channels: [{ channelId: 'FB_1', role: 'EDITOR', mayApprove: false }],
    },
    { ...{ id: 'usr_3', name: 'Ada', mail: 'ada@example.com', role: 'ADMIN' }, channels: [] },
  ]
  service.on('GET', `${ORG}/members`, () => ({ body: members }))
  service.on('GET', `${ORG}/invitations`, { body: [] })
  service.on('PATCH', `${ORG}/members/usr_2`, ({ body }) => {
    Object.assign(members[0]!, body)
    return { body: members[0] }
  })
  show(<People />, { permissions: ['people:read', 'people:write', 'channels:read'] })
  await untilShown('another role in 1 channel')
  expect(() => button('Roles in channels Ada')).toThrow()
  await press('Roles in channels Bea')
  await untilShown('Every member can read everything')
  await until(() => expect(textOf(document.querySelector('.channel-roles')!)).toContain('Mercado'))
  await press('Add')
  const approves = document.querySelector<HTMLInputElement>('[aria-label="Approves posts in Padaria"]')!
  approves.click()
  const role = select('Role in Padaria')
  role.value = 'VIEWER'
  role.dispatchEvent(new Event('change', { bubbles: true }))
  // Every channel is in the list by now.
  expect(() => button('Add')).toThrow()
  await press('Remove Mercado')
  await until(() => expect(textOf(document.querySelector('.channel-roles')!)).not.toContain('Mercado'))
  await press('Save')
  await untilShown('Bea’s rights were changed.')
  expect(service.made('PATCH', `${ORG}/members/usr_2`).map(({ body }) => body)).toEqual([
    { channels: [{ channelId: 'FB_2', role: 'VIEWER', mayApprove: true }] },
  ])
})

test('the trail describes them in words', () => {
  const now = [{ channelId: 'FB_1', role: 'EDITOR', mayApprove: true }]
  expect(describeChange('channels', now, [], 'UTC')).toContain('FB_1: Editor · Approves posts')
})

test("a page offers what the person may do in the post's channels, and the channels they may write for", async () => {
  const posts = new FakePosts(service)
  service.on('GET', `${ORG}/superpowers`, { body: page([]) })
  service.on('GET', `${ORG}/media`, refusal(404, 'media_disabled'))
  const channel = (mediumName: string) => ({
    caption: 'Bread',
    mediumType: 'FB_PAGE',
    mediumName,
    failedToPublish: false,
  })
  posts.set(postOf({ id: 'post_1', status: 'DRAFT', mediumsData: { FB_1: channel('Mercado') } }))
  posts.set(postOf({ id: 'post_2', status: 'DRAFT', mediumsData: { FB_2: channel('Padaria') } }))
  const rights: Partial<OwnOrganization> = {
    role: 'VIEWER',
    permissions: ['posts:read', 'channels:read'],
    channels: [{ channelId: 'FB_2', permissions: ['posts:read', 'channels:read', 'posts:write'] }],
  }
  const open = (path: string): void => {
    history.replaceState(null, '', `/o/org_1/posts/${path}`)
    show(
      <Router>
        <Route path="/o/:organizationId/:page/:rest*" component={PostPage} />
        <Route default component={() => <p>elsewhere</p>} />
      </Router>,
      rights,
    )
  }
  open('post_2')
  await until(() => button('Save'))
  open('post_1')
  await untilShown('Bread')
  expect(() => button('Save')).toThrow()
  open('new')
  await untilShown('Padaria')
  expect(textOf(document.querySelector('.channel-choice')!)).not.toContain('Mercado')
})
