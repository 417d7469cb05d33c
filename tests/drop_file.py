"""Drops a file onto a window as a file manager would (XDND 5): drop_file.py WINDOW_ID FILE. Ends with 0 when it was taken."""

import sys
import time
import urllib.parse

from Xlib import X, display
from Xlib.protocol import event

VERSION = 5


def main():
    target_id, path = int(sys.argv[1]), sys.argv[2]
    server = display.Display()
    atom = server.intern_atom
    target = server.create_resource_object("window", target_id)
    source = server.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    uri_list = atom("text/uri-list")
    data = ("file://" + urllib.parse.quote(path) + "\r\n").encode()

    def send(name, *values):
        numbers = [source.id, *values] + [0] * (4 - len(values))
        target.send_event(event.ClientMessage(window=target, client_type=atom(name), data=(32, numbers)))
        server.flush()

    source.set_selection_owner(atom("XdndSelection"), X.CurrentTime)
    send("XdndEnter", VERSION << 24, uri_list)
    send("XdndPosition", 0, 200 << 16 | 200, X.CurrentTime, atom("XdndActionCopy"))
    end = time.time() + 10
    while time.time() < end:
        if not server.pending_events():
            time.sleep(0.01)
            continue
        message = server.next_event()
        if message.type == X.SelectionRequest:
            message.requestor.change_property(message.property, uri_list, 8, data)
            message.requestor.send_event(event.SelectionNotify(time=message.time, requestor=message.requestor,
                                                               selection=message.selection, target=message.target,
                                                               property=message.property))
        elif message.type == X.ClientMessage and message.client_type == atom("XdndStatus"):
            if not message.data[1][1] & 1:
                return 1  # the window does not take drops
            send("XdndDrop", 0, X.CurrentTime)
        elif message.type == X.ClientMessage and message.client_type == atom("XdndFinished"):
            return 0 if message.data[1][1] & 1 else 1
    return 1


if __name__ == "__main__":
    sys.exit(main())
