import type { LateCause, WaitReason } from '../../interface/post-waits.ts'
import type { words as english } from './waits.words.ts'

const reasons: Record<WaitReason, string> = {
  publisher_off: 'Ningún proceso de este servidor publica: avisa a quienes lo administran',
  organization_inactive: 'La organización no está activa',
  token_unreadable: 'El servidor no puede abrir el token de acceso del canal: avisa a quienes lo administran',
  rate_limit_app: 'La plataforma limita las llamadas de la aplicación',
  rate_limit_channel: 'La plataforma limita las llamadas de esta página o cuenta',
  posting_quota: 'La cuenta ha agotado sus publicaciones del día',
  platform_unreachable: 'La plataforma no responde',
  platform_down: 'La plataforma tiene un problema propio',
  media_unreachable: 'La imagen o el vídeo no se puede leer en su dirección',
  answer_lost: 'Se perdió la respuesta de la plataforma: se busca la publicación en el canal',
  same_text: 'Se está publicando en el canal otra publicación con el mismo texto',
  processing: 'La plataforma todavía procesa la imagen o el vídeo',
  interrupted: 'El servidor se detuvo justo antes de publicar y lo intenta de nuevo',
  in_progress: 'Se está publicando ahora',
  queue: 'Otras publicaciones van antes',
}

const causes: Record<LateCause, string> = {
  publisher_off: 'A su hora ningún proceso publicaba',
  database_away: 'El servidor no podía conectar con su base de datos',
  clock_jumped: 'El reloj del servidor saltó, o el servidor se detuvo',
  queue: 'Otras publicaciones iban antes',
}

export const words: typeof english = {
  reasons,
  causes,
  late: (reason) => `Con retraso: ${reasons[reason]}`,
  nextTry: (time) => `Próximo intento: ${time}`,
}
