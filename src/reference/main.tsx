import { render } from 'preact'
import { Reference } from './reference.tsx'
import './style.css'

render(<Reference />, document.getElementById('reference')!)
