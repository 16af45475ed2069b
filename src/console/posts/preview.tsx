import { useState } from 'preact/hooks'
import type { ScheduledPostChannel } from '../../interface/posts.ts'
import { Icon } from '../icons.tsx'
import { isWebUrl } from '../navigation.ts'
import { common } from '../words.ts'
import { splitCaption } from './caption.ts'
import { describeSuperpower } from './superpower.ts'
import { postWords as words } from './words.ts'
import './preview.css'

export type PreviewedChannel = Pick<ScheduledPostChannel, 'caption' | 'superpower' | 'mediumType' | 'mediumName'>

interface Props {
  channel: PreviewedChannel
  media: string | undefined
  mediaType: string | undefined
  timeZone: string
}

/** A post as its channel will show it: Facebook the text first, Instagram the picture. */
export function ChannelPreview({ channel, media, mediaType, timeZone }: Props) {
  const { mediumType, mediumName, superpower } = channel
  const isInstagram = mediumType === 'INSTAGRAM_ACCOUNT'
  const text = <Caption text={channel.caption ?? ''} by={isInstagram ? mediumName : undefined} />
  const picture = <Media url={media} type={mediaType} />
  return (
    <section class="preview" aria-label={words.preview.label(mediumName, common.channelType(mediumType))}>
      <header class="preview-head">
        <span class={`avatar ${isInstagram ? 'avatar-round' : ''}`} aria-hidden="true">
          {[...mediumName][0]?.toUpperCase()}
        </span>
        <span>
          <strong dir="auto">{mediumName}</strong>
          <span class="quiet small-text">{common.channelType(mediumType)}</span>
        </span>
      </header>
      {isInstagram ? [picture, text] : [text, picture]}
      {superpower != null && (
        <div class="superpower">
          <h3>
            <Icon name="spark" /> {words.superpower.title(superpower.name ?? superpower.creativeTemplateName ?? '')}
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

function Caption({ text, by }: { text: string; by: string | undefined }) {
  if (text.trim() === '') return <p class="preview-text quiet">{words.preview.noText}</p>
  return (
    <p class="preview-text" dir="auto">
      {by !== undefined && <strong>{by} </strong>}
      {splitCaption(text).map((piece, index) =>
        piece.isTag ? (
          <span key={index} class="tag">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </p>
  )
}

/** The content security policy lets pictures come over https, and from this server, where uploads are. */
const isShowable = (url: string): boolean =>
  isWebUrl(url) && (/^https:/i.test(url) || new URL(url).origin === location.origin)

interface MediaProps {
  url: string | undefined
  type: string | undefined
  small?: boolean
}

/** The picture of a post. An icon, or a link to it, stands in for a video and for a picture that cannot be shown. */
export function Media({ url = '', type, small = false }: MediaProps) {
  const [failed, setFailed] = useState<string>()
  const size = small ? 'media-small' : ''
  const isVideo = type === 'VIDEO'
  if (isShowable(url) && !isVideo && failed !== url) {
    return (
      <img
        class={`media ${size}`}
        src={url}
        alt={small ? '' : words.preview.imageAlt}
        loading="lazy"
        referrerpolicy="no-referrer"
        onError={() => setFailed(url)}
      />
    )
  }
  const icon = <Icon name={isVideo && url !== '' ? 'play' : 'image'} className={small ? '' : 'media-icon'} />
  if (small || url === '') {
    return <div class={`media media-none ${size}`}>{small ? icon : words.preview.noMedia}</div>
  }
  return (
    <div class="media media-none">
      {icon}
      <span>{isVideo ? words.preview.video : words.preview.imageFailed}</span>
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
