// The parts of Asio that our edges use, under one roof.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace lmw::net {

namespace asio = boost::asio;
using asio::awaitable;
using tcp = asio::ip::tcp;

}  // namespace lmw::net
