import './four-eyes-hour.test.js'
