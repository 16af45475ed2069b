import { useState } from 'preact/hooks'
import type { PostForPeople, ScheduledPostChannel } from '../../interface/generated/types.ts'
import { Icon } from '../icons.tsx'
import { isWebUrl } from '../navigation.ts'
import { SmallPicture, useIsGone, usePoster } from '../small-picture.tsx'
import { common, outsideMedia as outsideMediaWords, textOf, posts as words } from '../words.ts'
import { type Feed, foldCaption, splitCaption } from './caption.ts'
import { describeSuperpower } from './superpower.ts'
import './preview.css'

export type PreviewedChannel = Pick<ScheduledPostChannel, 'caption' | 'superpower' | 'mediumType' | 'mediumName'>

export type PreviewedPost = Pick<PostForPeople, 'media' | 'mediaType' | 'altText' | 'aiGenerated'>

interface Props extends PreviewedPost {
  channel: PreviewedChannel
  timeZone: string
  /** Shows the whole text to people who decide about it, instead of truncating it as the feed does. */
  isWhole?: boolean
}

/** A post as its channel will show it: text first on Facebook, picture first on Instagram, cropped as in the feed. */
export function ChannelPreview(props: Props) {
  const { channel, media, mediaType, altText, timeZone, isWhole = false } = props
  const { mediumType, mediumName, superpower } = channel
  const isInstagram = mediumType === 'INSTAGRAM_ACCOUNT'
  const text = (
    <Caption
      key={`text ${mediumType}`}
      text={channel.caption ?? ''}
      by={isInstagram ? mediumName : undefined}
      place={isInstagram ? 'instagram' : 'facebook'}
      isWhole={isWhole}
    />
  )
  const picture = (
    <div key="picture" class={`preview-media ${isInstagram ? 'preview-media-instagram' : ''}`}>
      <Media url={media} type={mediaType} alt={altText} />
    </div>
  )
  const frame = mediaType === 'VIDEO' && <VideoFrame key="frame" url={media} />
  const actions = <Actions key="actions" isInstagram={isInstagram} />
  return (
    <section
      class="preview"
      aria-label={words.preview.label({ name: mediumName, type: textOf(common.channelTypes, mediumType) })}
    >
      <header class="preview-head">
        <span class={`avatar ${isInstagram ? 'avatar-round' : ''}`} aria-hidden="true">
          {[...mediumName][0]?.toUpperCase()}
        </span>
        <span>
          <strong dir="auto">{mediumName}</strong>
          <span class="quiet small-text">{textOf(common.channelTypes, mediumType)}</span>
        </span>
        <Icon name="menu" className="preview-menu" />
      </header>
      {isInstagram ? [picture, frame, actions, text] : [text, picture, frame, actions]}
      {isInstagram && props.aiGenerated && <p class="quiet small-text">{words.aiGenerated}</p>}
      {altText && mediaType !== 'VIDEO' && (
        <p class="quiet small-text" dir="auto">
          {words.altText}: {altText}
        </p>
      )}
      {superpower != null && (
        <div class="superpower">
          <h3>
            <Icon name="spark" />{' '}
            {words.superpower.title({ name: (superpower.name ?? superpower.creativeTemplateName ?? '') || undefined })}
          </h3>
          <ul>
            {describeSuperpower(superpower, timeZone).map(({ text, then = [] }, index) => (
              <li key={index} dir="auto">
                {text}
                {then.length > 0 && (
                  <ul class="bullets">
                    {then.map((one, place) => (
                      <li key={place}>{one}</li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

/** Buttons that the feed shows below a post. They are drawn only, since they do nothing here. */
const ACTIONS = {
  like: 'M12 19.5C6 15.5 3.5 12.6 3.5 9.3a4.3 4.3 0 0 1 8.5-1.2 4.3 4.3 0 0 1 8.5 1.2c0 3.3-2.5 6.2-8.5 10.2Z',
  thumb:
    'M7.5 10.5v9H4v-9zM7.5 11l3.7-7c1.6 0 2.3 1 2 2.6l-.6 3h5.9c1 0 1.7.9 1.5 1.9l-1.4 6.5c-.2.9-.9 1.5-1.8 1.5H7.5',
  comment:
    'M12 4.5c5 0 8.5 3 8.5 7s-3.5 7-8.5 7c-.9 0-1.8-.1-2.6-.3L5 20l.9-3.3c-1.5-1.3-2.4-3.1-2.4-5.2 0-4 3.5-7 8.5-7Z',
  share: 'M20.5 4 3.5 10l7 3.5L14 20.5 20.5 4ZM10.5 13.5 20.5 4',
  keep: 'M6.5 4h11v16L12 15.5 6.5 20z',
}

const Actions = ({ isInstagram }: { isInstagram: boolean }) => (
  <div class="preview-actions" aria-hidden="true">
    {(isInstagram ? (['like', 'comment', 'share', 'keep'] as const) : (['thumb', 'comment', 'share'] as const)).map(
      (name) => (
        <svg key={name} class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
          <path d={ACTIONS[name]} />
        </svg>
      ),
    )}
  </div>
)

interface CaptionProps {
  text: string
  by: string | undefined
  place: Feed
  isWhole: boolean
}

/** A text truncated as in the feed, with a button to expand it. */
function Caption({ text, by, place, isWhole }: CaptionProps) {
  const [isOpen, setOpen] = useState(isWhole)
  if (text.trim() === '') return <p class="preview-text quiet">{words.preview.noText}</p>
  const head = foldCaption(text, place)
  return (
    <p class="preview-text" dir="auto">
      {by !== undefined && <strong>{by} </strong>}
      {splitCaption(isOpen ? text : head).map((piece, index) =>
        piece.isTag ? (
          <span key={index} class="tag">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
      {head !== text && (
        <>
          {isOpen ? ' ' : '… '}
          <button type="button" class="preview-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? words.preview.less : words.preview.more[place]}
          </button>
        </>
      )}
    </p>
  )
}

/** The content security policy allows pictures over https, and uploads from this server. */
const isShowable = (url: string): boolean =>
  isWebUrl(url) && (/^https:/i.test(url) || new URL(url).origin === location.origin)

interface MediaProps {
  url: string | undefined
  type: string | undefined
  alt?: string | undefined
}

/** Small media for lists of posts, with an icon if there is nothing to show. */
export function SmallMedia({ url = '', type }: Pick<MediaProps, 'url' | 'type'>) {
  const size = 'media media-small'
  const none = (
    <div class={`media-none ${size}`}>
      <Icon name="image" />
    </div>
  )
  if (!isShowable(url)) return none
  const sign = <Icon name="play" />
  return <SmallPicture class={size} url={url} isVideo={type === 'VIDEO'} pixels={52} sign={sign} none={none} />
}

/**
 * A post's video. The poster is shown and nothing is loaded until it is played; without a poster, the browser loads the
 * first frame.
 */
function Video({ url, onError }: { url: string; onError: () => void }) {
  const poster = usePoster(url)
  return (
    // biome-ignore lint/a11y/useMediaCaption: the platforms accept no captions with videos that they fetch
    <video
      class="media"
      src={`${url}#t=0.001`}
      poster={poster ?? undefined}
      aria-label={words.preview.video}
      controls
      playsInline
      preload={poster === null ? 'metadata' : 'none'}
      onError={onError}
    />
  )
}

/** A frame of a video with a poster, beside the player. The uploader chooses the poster, which may show something else. */
function VideoFrame({ url = '' }: { url: string | undefined }) {
  const hasPoster = typeof usePoster(url) === 'string'
  if (!hasPoster || !isShowable(url)) return null
  return (
    <figure class="video-frame">
      <video src={`${url}#t=0.001`} aria-label={outsideMediaWords.frame} muted playsInline preload="metadata" />
      <figcaption>
        <strong>{outsideMediaWords.frame}</strong>
        <span class="quiet small-text">{outsideMediaWords.frameHint}</span>
      </figcaption>
    </figure>
  )
}

/**
 * The post's original picture or video, never a small version, because people decide by it. Media that cannot be shown
 * becomes a link; deleted uploads are reported.
 */
export function Media({ url = '', type, alt = '' }: MediaProps) {
  const [failed, setFailed] = useState<string>()
  const isGone = useIsGone(url, failed === url)
  const isVideo = type === 'VIDEO'
  const fail = (): void => setFailed(url)
  if (isShowable(url) && failed !== url) {
    return isVideo ? (
      <Video key={url} url={url} onError={fail} />
    ) : (
      <img
        class="media"
        src={url}
        alt={alt || words.preview.imageAlt}
        loading="lazy"
        referrerpolicy="no-referrer"
        onError={fail}
      />
    )
  }
  if (url === '') return <div class="media media-none">{words.preview.noMedia}</div>
  if (isGone) {
    return (
      <div class="media media-none">
        <Icon name="image" className="media-icon" />
        <strong>{words.preview.gone}</strong>
      </div>
    )
  }
  return (
    <div class="media media-none">
      <Icon name={isVideo ? 'play' : 'image'} className="media-icon" />
      <span>{isVideo ? words.preview.videoFailed : words.preview.imageFailed}</span>
      {isWebUrl(url) ? (
        <a class="lone-link" href={url} target="_blank" rel="noreferrer noopener">
          {words.preview.openMedia}
        </a>
      ) : (
        <span>{url}</span>
      )}
    </div>
  )
}
