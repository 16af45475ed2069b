import type { Clock } from '../lib/clock.js'
import type { SandboxModel, SandboxPage } from '../model.js'
import type { Publications } from '../publications.js'
import { People, type SandboxPerson } from './people.js'

/** A comment on a publication, or a reply to one. */
export interface SandboxComment {
  id: string
  pageId: string
  /** The post or medium, by the id under which it is commented. */
  objectId: string
  /** The comment that it replies to, which is always on the publication itself. */
  parentId: string | undefined
  /** Undefined if the page itself wrote it. */
  person: SandboxPerson | undefined
  text: string
  /** Milliseconds since the epoch. */
  at: number
  isDeleted: boolean
  isHidden: boolean
  /** True if the platform hides its author. */
  isAnonymous: boolean
  /** True if the platform leaves it out of lists, because the person is restricted. */
  isRestricted: boolean
  /** True if the platform delivers it to no webhook, as with comments that it filters. */
  isFiltered: boolean
  /** Undefined until the only private reply is used up. */
  privateReply: 'app' | 'human' | 'spent' | undefined
}

/** A call that the platform carried out for our app, in order. Times are milliseconds since the epoch. */
export interface SandboxReply {
  at: number
  pageId: string
  /** The comment that it replies to, or the publication on which the page comments. */
  commentId: string
  id: string
  text: string
}
export interface SandboxMessage {
  at: number
  pageId: string
  /** Undefined for a message that does not answer a comment. */
  commentId: string | undefined
  recipientId: string
  id: string
  /** Undefined for an attachment. */
  text: string | undefined
  message: Record<string, unknown>
}
export interface SandboxLike {
  at: number
  pageId: string
  commentId: string
  /** True if it was already liked, so that nothing changed. */
  isRepeat: boolean
}

export interface GivenComment {
  /** The id that the publishing call returned. Any other id needs `pageId`. */
  postId: string
  /** The id of the page or Instagram account. */
  pageId?: string
  /** A name, for example one of PEOPLE. */
  from: string
  text: string
  /** Milliseconds since the epoch; now by default. */
  at?: number
  parentId?: string
  isAnonymous?: boolean
  isRestricted?: boolean
  isFiltered?: boolean
  /** If false, `deliver` must send the webhook. */
  isDelivered?: boolean
}

/** Habits apply when people comment. Tests and the panel replace them. */
export interface Habits {
  /** Each comment is delivered twice, among earlier comments and in any order. */
  isDoubled(): boolean
  /** A person at the page answers each comment before the app receives it. */
  humanFirst(): 'publicly' | 'inbox' | undefined
}

/** Sends events of a page to our app, if it is connected and subscribed. */
export interface CommentWebhooks {
  comments(page: SandboxPage, comments: readonly SandboxComment[], way: DeliveryWay): Promise<void>
  message(page: SandboxPage, message: { personId: string; text: string; isEcho: boolean }): Promise<void>
}
export type DeliveryWay = { isTogether?: boolean; isShuffled?: boolean }

interface Needs {
  clock: Clock
  model: SandboxModel
  publications: Publications
  webhooks: CommentWebhooks
}

const SHUFFLED_WITH = 4

/** The comments of the sandbox, and all answers to them. */
export class Comments {
  readonly people = new People()
  readonly replies: SandboxReply[] = []
  readonly messages: SandboxMessage[] = []
  readonly likes: SandboxLike[] = []
  readonly habits: Habits = { isDoubled: () => false, humanFirst: () => undefined }
  readonly #needs: Needs
  readonly #byId = new Map<string, SandboxComment>()
  readonly #byObject = new Map<string, SandboxComment[]>()
  /** Objects that were commented on but never published here, by id. */
  readonly #pageOfObject = new Map<string, string>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get clock(): Clock {
    return this.#needs.clock
  }

  /** Adds a person's comment and delivers it; returns the comment's id. */
  async comment(given: GivenComment): Promise<string> {
    const object = this.findObject(given.postId) ?? { id: given.postId, page: this.requirePage(given.pageId) }
    this.#pageOfObject.set(object.id, object.page.id)
    const { isAnonymous = false, isRestricted = false, isFiltered = false } = given
    const comment = this.#add(object, {
      ...{ person: this.people.of(object.page, given.from), text: given.text, at: given.at ?? this.clock.now() },
      ...{ parentId: given.parentId, isAnonymous, isRestricted, isFiltered },
    })
    const answered = this.habits.humanFirst()
    if (answered !== undefined) await this.answerAsHuman(comment.id, answered)
    if (given.isDelivered !== false) await this.deliver([comment.id])
    return comment.id
  }

  /** Adds the page's own reply beneath a comment, and delivers it like any comment. */
  reply(comment: SandboxComment, text: string): string {
    const { id: objectId, page } = this.requireObject(comment.objectId)
    // The platform shows two levels, so a reply to a reply is beside that reply.
    const parentId = comment.parentId ?? comment.id
    const given = { person: undefined, text, at: this.clock.now(), parentId }
    const { id } = this.#add({ id: objectId, page }, given)
    this.#note(this.deliver([id]))
    return id
  }

  /** Adds the page's own comment on a publication, and delivers it like any comment. */
  own(object: { id: string; page: SandboxPage }, text: string): { id: string; text: string } {
    const { id } = this.#add(object, { person: undefined, text, at: this.clock.now(), parentId: undefined })
    this.#note(this.deliver([id]))
    return { id, text }
  }

  /** Answers as a person at the page, beneath the comment or in the page's inbox, without our app. */
  async answerAsHuman(commentId: string, where: 'publicly' | 'inbox', text = 'A human here: hello!'): Promise<void> {
    const comment = this.require(commentId)
    if (where === 'publicly') {
      this.reply(comment, text)
      return await this.settled()
    }
    comment.privateReply = 'human'
    const { conversationId } = comment.person!
    const page = this.requirePage(comment.pageId)
    await this.#needs.webhooks.message(page, { personId: conversationId, text, isEcho: true })
  }

  /** Delivers comments one by one in this order, or all in one delivery. */
  async deliver(ids: readonly string[], way: DeliveryWay = {}): Promise<void> {
    const all = ids.map((id) => this.require(id)).filter(({ isFiltered }) => !isFiltered)
    for (const pageId of new Set(all.map((comment) => comment.pageId))) {
      const comments = all.filter((comment) => comment.pageId === pageId)
      const page = this.requirePage(pageId)
      if (!this.habits.isDoubled()) {
        await this.#needs.webhooks.comments(page, comments, way)
        continue
      }
      const others = this.of(comments[0]!.objectId).filter((each) => !each.isFiltered && !comments.includes(each))
      const earlier = others.slice(-SHUFFLED_WITH)
      const doubled = [...earlier, ...comments, ...comments]
      await this.#needs.webhooks.comments(page, doubled, { ...way, isShuffled: true })
    }
  }

  /** Sends a person's message to a page, which opens the 24 hours for answers, and delivers it. */
  async write({ pageId, from, text }: { pageId: string; from: string; text: string }): Promise<void> {
    const page = this.requirePage(pageId)
    const person = this.people.of(page, from)
    person.wroteAt = this.clock.now()
    await this.#needs.webhooks.message(page, { personId: person.conversationId, text, isEcho: false })
  }

  /** Keeps a message of our app and delivers its echo. */
  send(page: SandboxPage, person: SandboxPerson, sent: Pick<SandboxMessage, 'commentId' | 'message'>): SandboxMessage {
    const text = typeof sent.message.text === 'string' ? sent.message.text : undefined
    const id = `m_${this.#needs.publications.newId('15')}`
    const message = { at: this.clock.now(), pageId: page.id, recipientId: person.conversationId, id, text, ...sent }
    this.messages.push(message)
    const echo = { personId: person.conversationId, text: text ?? '', isEcho: true }
    this.#note(this.#needs.webhooks.message(page, echo))
    return message
  }

  /** Waits until every delivery that a call caused has been answered. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  delete(id: string): void {
    this.require(id).isDeleted = true
  }

  hide(id: string): void {
    this.require(id).isHidden = true
  }

  find(id: string): SandboxComment | undefined {
    const comment = this.#byId.get(id)
    return comment?.isDeleted ? undefined : comment
  }

  require(id: string): SandboxComment {
    const comment = this.#byId.get(id)
    if (comment === undefined) throw new Error(`the sandbox has no comment ${id}`)
    return comment
  }

  /** The comments on a publication, including replies, oldest first. */
  of(objectId: string): readonly SandboxComment[] {
    const id = this.findObject(objectId)?.id ?? objectId
    return (this.#byObject.get(id) ?? []).filter(({ isDeleted }) => !isDeleted)
  }

  /** The commented object, by either id. */
  findObject(id: string): { id: string; page: SandboxPage } | undefined {
    const item = this.#needs.publications.find(id)
    const pageId = item?.pageId ?? this.#pageOfObject.get(id)
    const page = this.#needs.model.pages?.find((candidate) => candidate.id === pageId)
    if (page === undefined) return undefined
    return { id: item === undefined ? id : (this.#needs.publications.postIdOfVideo(item.id) ?? item.id), page }
  }

  requireObject(id: string): { id: string; page: SandboxPage } {
    const object = this.findObject(id)
    if (object === undefined) throw new Error(`the sandbox has no publication ${id}`)
    return object
  }

  requirePage(id: string | undefined): SandboxPage {
    const page = this.#needs.model.pages?.find((candidate) => candidate.id === id)
    if (page === undefined) throw new Error(`the sandbox has no page ${id}`)
    return page
  }

  #add(
    { id: objectId, page }: { id: string; page: SandboxPage },
    given: Pick<SandboxComment, 'person' | 'text' | 'at' | 'parentId'> & Partial<SandboxComment>,
  ): SandboxComment {
    const number = this.#needs.publications.newId(page.platform === 'facebook' ? '14' : '178')
    const comment: SandboxComment = {
      id: page.platform === 'facebook' ? `${objectId.split('_').at(-1)}_${number}` : number,
      ...{ pageId: page.id, objectId, privateReply: undefined },
      ...{ isDeleted: false, isHidden: false, isAnonymous: false, isRestricted: false, isFiltered: false },
      ...given,
    }
    this.#byId.set(comment.id, comment)
    const comments = this.#byObject.get(objectId) ?? []
    this.#byObject.set(objectId, comments)
    comments.push(comment)
    return comment
  }

  #note(delivery: Promise<void>): void {
    this.#underWay.add(delivery)
    void delivery.finally(() => this.#underWay.delete(delivery))
  }
}
