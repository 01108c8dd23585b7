package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Envoy's own windows, so that a server meets the flow control it will meet in earnest.
const (
	streamWindow     = 16 << 20
	connectionWindow = 24 << 20
	maxFrame         = 16 << 10
	defaultWindow    = 65535
)

// conn is one HTTP/2 connection, as thin as it can be: the client shares two cores with what it measures.
type conn struct {
	raw     net.Conn
	framer  *http2.Framer
	streams map[uint32]*stream
	unread  int // bytes taken in since the last WINDOW_UPDATE of the connection; reader only

	mu            sync.Mutex // writing and the windows of the peer
	writer        *bufio.Writer
	window        int
	initialWindow int
}

func dial(address string, config *tls.Config) (*conn, error) {
	raw, err := (&net.Dialer{Timeout: 30 * time.Second}).Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if config != nil {
		secure := tls.Client(raw, config)
		if err := secure.Handshake(); err != nil {
			raw.Close()
			return nil, err
		}
		raw = secure
	}
	c := &conn{
		raw: raw, streams: map[uint32]*stream{}, writer: bufio.NewWriterSize(raw, 4<<10),
		window: defaultWindow, initialWindow: defaultWindow,
	}
	c.framer = http2.NewFramer(c.writer, bufio.NewReaderSize(raw, 32<<10))
	c.framer.SetReuseFrames()
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writer.WriteString(http2.ClientPreface)
	c.framer.WriteSettings(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow},
	)
	c.framer.WriteWindowUpdate(0, connectionWindow-defaultWindow)
	return c, c.writer.Flush()
}

// open starts a gRPC call on the connection and sends its first message with the headers.
func (c *conn) open(s *stream, path string, message []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.conn, s.id, s.window = c, uint32(2*len(c.streams)+1), c.initialWindow
	c.streams[s.id] = s
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "POST"},
		{":scheme", "http"},
		{":path", path},
		{":authority", "localhost"},
		{"te", "trailers"},
		{"content-type", "application/grpc"},
		{"user-agent", "chancery-bench"},
	} {
		encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: block.Bytes(), EndHeaders: true})
	s.pending = append(s.pending, message...)
	return c.flush(s)
}

func (c *conn) send(s *stream, message []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pending = append(s.pending, message...)
	return c.flush(s)
}

// flush writes what the peer's windows allow; the rest leaves with the next WINDOW_UPDATE. Needs c.mu.
func (c *conn) flush(s *stream) error {
	for len(s.pending) > 0 {
		n := min(len(s.pending), c.window, s.window, maxFrame)
		if n <= 0 {
			break
		}
		c.framer.WriteData(s.id, false, s.pending[:n])
		s.pending = s.pending[n:]
		c.window -= n
		s.window -= n
	}
	if len(s.pending) == 0 {
		s.pending = nil
	}
	c.raw.SetWriteDeadline(time.Now().Add(time.Minute))
	return c.writer.Flush()
}

// read runs until the connection ends; every message is handled here, in order.
func (c *conn) read() error {
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.DataFrame:
			err = c.data(frame)
		case *http2.PingFrame:
			if !frame.IsAck() {
				err = c.write(func() { c.framer.WritePing(true, frame.Data) })
			}
		case *http2.SettingsFrame:
			err = c.settings(frame)
		case *http2.WindowUpdateFrame:
			err = c.grow(frame)
		case *http2.MetaHeadersFrame:
			if s := c.streams[frame.StreamID]; s != nil && frame.StreamEnded() {
				s.ended(trailers(frame))
			}
		case *http2.RSTStreamFrame:
			if s := c.streams[frame.StreamID]; s != nil {
				s.ended("reset: " + frame.ErrCode.String())
			}
		case *http2.GoAwayFrame:
			return fmt.Errorf("go away: %s %s", frame.ErrCode, frame.DebugData())
		}
		if err != nil {
			return err
		}
	}
}

func (c *conn) data(frame *http2.DataFrame) error {
	taken := int(frame.Header().Length)
	c.unread += taken
	s := c.streams[frame.StreamID]
	if s != nil {
		s.unread += taken
		if err := s.data(frame.Data()); err != nil {
			return err
		}
		if s.unread >= streamWindow/2 {
			n := s.unread
			s.unread = 0
			if err := c.write(func() { c.framer.WriteWindowUpdate(s.id, uint32(n)) }); err != nil {
				return err
			}
		}
	}
	if c.unread < connectionWindow/2 {
		return nil
	}
	n := c.unread
	c.unread = 0
	return c.write(func() { c.framer.WriteWindowUpdate(0, uint32(n)) })
}

func (c *conn) settings(frame *http2.SettingsFrame) error {
	if frame.IsAck() {
		return nil
	}
	return c.write(func() {
		if value, ok := frame.Value(http2.SettingInitialWindowSize); ok {
			difference := int(value) - c.initialWindow
			c.initialWindow = int(value)
			for _, s := range c.streams {
				s.window += difference
			}
		}
		c.framer.WriteSettingsAck()
		for _, s := range c.streams {
			c.flush(s)
		}
	})
}

func (c *conn) grow(frame *http2.WindowUpdateFrame) error {
	return c.write(func() {
		if frame.StreamID == 0 {
			c.window += int(frame.Increment)
			for _, s := range c.streams {
				c.flush(s)
			}
		} else if s := c.streams[frame.StreamID]; s != nil {
			s.window += int(frame.Increment)
			c.flush(s)
		}
	})
}

func (c *conn) write(frames func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames()
	return c.writer.Flush()
}

func trailers(frame *http2.MetaHeadersFrame) string {
	text := "ended:"
	for _, field := range frame.Fields {
		text += " " + field.Name + "=" + field.Value
	}
	return text
}
